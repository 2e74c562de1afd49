/**
 * How many Pods more and how many fewer than one per Node a rolling update may have.
 * @see https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/
 */
import { scaledValue } from "../shared/workloads/scaled-value.ts";
import type { DaemonSet } from "./daemon-pod.ts";

export const isRollingUpdate = ({ spec }: DaemonSet): boolean => spec?.updateStrategy?.type === "RollingUpdate";

/** Shares are rounded up. If both come to nothing, one may be missing. */
export function boundsOf(daemonSet: DaemonSet, wanted: number): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = rollingUpdateOf(daemonSet);
  const surge = scaledValue(maxSurge ?? 0, wanted, Math.ceil);
  const unavailable = scaledValue(maxUnavailable ?? 0, wanted, Math.ceil);
  return { surge, unavailable: wanted > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Whether the old Pod of a Node stays until the new one is available. */
export const allowsSurge = (daemonSet: DaemonSet): boolean => scaledValue(rollingUpdateOf(daemonSet).maxSurge ?? 0, 1, Math.ceil) > 0;

const rollingUpdateOf = (daemonSet: DaemonSet) => (isRollingUpdate(daemonSet) ? (daemonSet.spec?.updateStrategy?.rollingUpdate ?? {}) : {});
