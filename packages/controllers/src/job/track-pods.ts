/**
 * Counts each Pod that has ended exactly once, whatever goes wrong in between: first the status names it as not counted
 * yet, then it loses its finalizer, then the status counts it and names it no more.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-tracking-with-finalizers
 */
import type { batchV1 } from "@coxswain/api";
import type { Pod } from "../shared/pods/pod-state.ts";
import { countIndexes, formatIntervals, hasIndex } from "./index-intervals.ts";
import { indexOf, isPodFailed, isTracked, uidOf, validIndexOf } from "./job-pods.ts";
import type { JobEnd } from "./judge-job.ts";
import type { JobObservation } from "./observe-job.ts";
import { isFailureIgnored } from "./pod-failure-policy.ts";

export type JobStatus = batchV1.JobStatus;

export interface TrackingPlan {
  /** What the status is to say before any finalizer goes. */
  readonly status: JobStatus;
  /** Those that lose their finalizer. */
  readonly release: readonly Pod[];
  /** There are more, for another turn. */
  readonly isCapped: boolean;
}

/** So many at a time, so that the list in the status stays small. */
const maxUncounted = 500;

export function planTracking(seen: JobObservation, status: JobStatus, end: JobEnd | undefined): TrackingPlan {
  const { settings, indexes } = seen;
  const pods = settings.isIndexed ? seen.pods.toSorted((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1)) : seen.pods;
  const tracked = pods.filter(isTracked);
  const known = seen.job.status?.uncountedTerminatedPods;
  const knownFailed = new Set(known?.failed);
  const knownSucceeded = new Set(known?.succeeded);
  const cleaned = countReleased(status, new Set(tracked.map(uidOf)));
  const succeeded = [...(cleaned.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(cleaned.uncountedTerminatedPods?.failed ?? [])];
  const release: Pod[] = [];
  let newIndexes = 0;
  let isCapped = false;
  for (const pod of tracked) {
    const hasFailed = isPodFailed(pod, settings);
    if (!mayRelease(seen, pod, end, hasFailed)) continue;
    release.push(pod);
    const uid = uidOf(pod);
    const index = validIndexOf(pod, settings);
    const isCountable = !settings.isIndexed || index !== undefined;
    if (pod.status?.phase === "Succeeded" && !knownFailed.has(uid)) {
      // Of an index it is enough to know that it is among those that are complete.
      if (indexes === undefined && !knownSucceeded.has(uid)) succeeded.push(uid);
      if (indexes !== undefined && index !== undefined && !hasIndex(indexes.counted, index)) newIndexes++;
    } else if ((hasFailed || end?.outcome === "failed") && isCountable && !knownFailed.has(uid)) {
      if (!isFailureIgnored(settings.failurePolicy, pod)) failed.push(uid);
    }
    isCapped = newIndexes + succeeded.length + failed.length >= maxUncounted;
    if (isCapped) break;
  }
  const next = { ...cleaned, uncountedTerminatedPods: uncounted(succeeded, failed) };
  return { status: indexes === undefined ? next : { ...next, ...indexFields(indexes) }, release, isCapped };
}

/** Pods that the status names and that have no finalizer any more are counted. `held`: the uids of those that have it. */
export function countReleased(status: JobStatus, held: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isHeld = (uid: string): boolean => held.has(uid);
  const succeededLeft = succeeded.filter(isHeld);
  const failedLeft = failed.filter(isHeld);
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - succeededLeft.length,
    failed: (status.failed ?? 0) + failed.length - failedLeft.length,
    uncountedTerminatedPods: uncounted(succeededLeft, failedLeft),
  };
}

/** Empty lists are not sent, nor are counts of zero but those that Kubernetes always writes. */
export function wireStatus({ active, succeeded, failed, completedIndexes, conditions, ...rest }: JobStatus): JobStatus {
  const fields = { active, succeeded, failed, completedIndexes, conditions: conditions?.length === 0 ? undefined : conditions };
  const entries = Object.entries({ ...rest, ...fields }).filter(
    ([name, value]) => value !== undefined && (!(name in fields) || Boolean(value)),
  );
  return Object.fromEntries(entries);
}

const uncounted = (succeeded: string[], failed: string[]): batchV1.UncountedTerminatedPods => ({
  ...(succeeded.length === 0 ? {} : { succeeded }),
  ...(failed.length === 0 ? {} : { failed }),
});

const indexFields = ({ succeeded, failed }: NonNullable<JobObservation["indexes"]>): Partial<JobStatus> => ({
  succeeded: countIndexes(succeeded),
  completedIndexes: formatIntervals(succeeded),
  ...(failed === undefined ? {} : { failedIndexes: formatIntervals(failed) }),
});

/** When it has ended; or all of the Job is to end. One that its index's next learns from waits for that. */
function mayRelease({ job, settings, indexes }: JobObservation, pod: Pod, end: JobEnd | undefined, hasFailed: boolean): boolean {
  if (job.metadata?.deletionTimestamp !== undefined || end !== undefined || pod.status?.phase === "Succeeded") return true;
  if (!hasFailed) return false;
  const index = validIndexOf(pod, settings);
  const kept = index === undefined ? undefined : indexes?.heldBack.get(index);
  return kept === undefined || uidOf(kept) !== uidOf(pod);
}
