/**
 * How many Pods more and how many fewer than wanted a rolling update may have.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
import { scaledValue } from "../shared/workloads/scaled-value.ts";
import { type Deployment, wantedOf } from "./rollout.ts";

export const isRollingUpdate = ({ spec }: Deployment): boolean => spec?.strategy?.type === "RollingUpdate";

export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? boundsOf(deployment).surge : 0;
}

/** Of the Pods in all, at most so many. */
export const maxReplicas = (deployment: Deployment): number => wantedOf(deployment) + maxSurge(deployment);

export function maxUnavailable(deployment: Deployment): number {
  const wanted = wantedOf(deployment);
  return isRollingUpdate(deployment) && wanted > 0 ? Math.min(boundsOf(deployment).unavailable, wanted) : 0;
}

/** Shares of a surge are rounded up, of what may be missing down; if both come to nothing, one may be missing. */
function boundsOf(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge ?? 0, wantedOf(deployment), Math.ceil);
  const unavailable = scaledValue(maxUnavailable ?? 0, wantedOf(deployment), Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
