/** What a Job reads from its Pods. */
import type { coreV1 } from "@coxswain/api";
import { hasFinalizer } from "@coxswain/client";
import { millisOf } from "@coxswain/machinery";
import { type Pod, podCondition } from "../shared/pods/pod-state.ts";
import type { JobSettings } from "./job-settings.ts";

/** Keeps a Pod, once it has ended, until it has been counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

export const isTracked = (pod: Pod): boolean => hasFinalizer(pod, trackingFinalizer);

export const uidOf = ({ metadata }: Pod): string => metadata?.uid ?? "";

/** In annotations, in labels, and in the variable of containers that reads them. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Undefined when it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata?.annotations?.[indexAnnotation];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** Its index if the Job has that: below its completions. */
export function validIndexOf(pod: Pod, { completions = 0 }: JobSettings): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < completions ? index : undefined;
}

export const indexesOf = (pods: readonly Pod[]): Set<number> => new Set(pods.map(indexOf).filter((index) => index !== undefined));

/** Failures of its index before it, those that count and those that a policy ignored. */
export const failuresBefore = ({ metadata }: Pod): { readonly counted: number; readonly ignored: number } => ({
  counted: countIn(metadata?.annotations?.[failureCountAnnotation]),
  ignored: countIn(metadata?.annotations?.[ignoredFailureCountAnnotation]),
});

const countIn = (text: string | undefined): number => {
  const count = text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : 0;
  return count <= 0x7fffffff ? count : 0;
};

/** One that is being deleted may be gone before its outcome is seen, and counts, unless only those that failed are replaced. */
export function isPodFailed({ status, metadata }: Pod, { replacesOnlyFailed }: JobSettings): boolean {
  if (status?.phase === "Failed") return true;
  return !replacesOnlyFailed && metadata?.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

/**
 * Milliseconds since the epoch: when its last container ended, or else since when it is not ready, or else when it was to
 * be deleted, or else when it was made.
 */
export function finishedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata ?? {};
  const ready = podCondition(pod, "Ready");
  const unreadySince = ready?.status === "False" ? millisOf(ready.lastTransitionTime) : undefined;
  const deletedAt = millisOf(deletionTimestamp);
  const askedAt = deletedAt === undefined ? undefined : deletedAt - deletionGracePeriodSeconds * 1000;
  return containersEnd(pod) ?? unreadySince ?? askedAt ?? millisOf(creationTimestamp) ?? 0;
}

/** Undefined while one of them runs. Sidecars end last, so theirs counts too. */
function containersEnd({ spec, status }: Pod): number | undefined {
  const sidecars = new Set((spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name));
  const inits = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  const ends = [...(status?.containerStatuses ?? []), ...inits].map(endOf);
  const known = ends.filter((end) => end !== undefined);
  return known.length === ends.length && ends.length > 0 ? Math.max(...known) : undefined;
}

const endOf = ({ state }: coreV1.ContainerStatus): number | undefined => millisOf(state?.terminated?.finishedAt);

/** By all containers that have ever restarted in Pods that have not ended. */
export const restartsOf = (pods: readonly Pod[]): number =>
  pods
    .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
