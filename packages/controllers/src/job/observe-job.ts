/** A Job and its Pods, counted, before anything is decided. */
import { isPodActive, isPodReady, isPodTerminating, type Pod } from "../shared/pods/pod-state.ts";
import { countIndexes, hasIndex, type Intervals, parseIntervals, withIndexes } from "./index-intervals.ts";
import { failuresBefore, finishedAt, indexesOf, isPodFailed, isTracked, uidOf, validIndexOf } from "./job-pods.ts";
import { type Job, type JobSettings, settingsOf } from "./job-settings.ts";
import { nextFailures, type PodFailures } from "./pod-backoff.ts";
import { isFailureIgnored, rulingOn } from "./pod-failure-policy.ts";

export interface JobObservation {
  readonly job: Job;
  readonly settings: JobSettings;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: readonly Pod[];
  /** Counted in the status or not yet. Of an Indexed Job: indexes. */
  readonly succeeded: number;
  /** Those that a policy ignores are not among them. */
  readonly failed: number;
  readonly failures: PodFailures;
  /** Of an Indexed Job. */
  readonly indexes: JobIndexes | undefined;
}

export interface JobIndexes {
  /** As the status says. */
  readonly counted: Intervals;
  readonly succeeded: Intervals;
  /** Undefined unless each index has its own backoff limit. */
  readonly failed: Intervals | undefined;
  /** The last failed Pod of each index that waits for its next: it is kept, because the next one learns the number of failures from it. */
  readonly heldBack: ReadonlyMap<number, Pod>;
}

/** `before`: failures that earlier looks at this Job have found. */
export function observeJob(job: Job, pods: readonly Pod[], before: PodFailures): JobObservation {
  const settings = settingsOf(job);
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted = {} } = job.status ?? {};
  const countable = pods.filter((pod) => isTracked(pod) && (!settings.isIndexed || validIndexOf(pod, settings) !== undefined));
  const notIn = (known: readonly string[] | undefined) => {
    const uids = new Set(known);
    return (pod: Pod) => !uids.has(uidOf(pod));
  };
  const newSucceeded = countable.filter(({ status }) => status?.phase === "Succeeded").filter(notIn(uncounted.succeeded));
  const newFailed = countable.filter((pod) => isPodFailed(pod, settings)).filter(notIn(uncounted.failed));
  const active = pods.filter(isPodActive);
  const indexes = settings.isIndexed ? observeIndexes(job, settings, { countable, active }) : undefined;
  const succeededPods = succeeded + newSucceeded.length + (uncounted.succeeded?.length ?? 0);
  return {
    job,
    settings,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating),
    succeeded: indexes === undefined ? succeededPods : countIndexes(indexes.succeeded),
    failed: failed + newFailed.filter((pod) => !isFailureIgnored(settings.failurePolicy, pod)).length + (uncounted.failed?.length ?? 0),
    failures: nextFailures(before, newSucceeded, newFailed),
    indexes,
  };
}

interface IndexedPods {
  readonly countable: readonly Pod[];
  readonly active: readonly Pod[];
}

function observeIndexes({ status }: Job, settings: JobSettings, { countable, active }: IndexedPods): JobIndexes {
  const { completions = 0 } = settings;
  const counted = parseIntervals(status?.completedIndexes, completions);
  const succeeded = withIndexes(counted, indexesOf(countable.filter((pod) => pod.status?.phase === "Succeeded")));
  if (settings.backoffLimitPerIndex === undefined) return { counted, succeeded, failed: undefined, heldBack: new Map() };
  const newFailed = indexesOf(countable.filter((pod) => isIndexLost(pod, settings)));
  const failed = withIndexes(parseIntervals(status?.failedIndexes, completions), newFailed);
  const running = indexesOf(active);
  const isOver = (index: number): boolean => hasIndex(succeeded, index) || hasIndex(failed, index) || running.has(index);
  const heldBack = new Map<number, Pod>();
  for (const pod of countable) {
    const index = validIndexOf(pod, settings);
    if (index === undefined || !isPodFailed(pod, settings) || isOver(index)) continue;
    const other = heldBack.get(index);
    if (other === undefined || isLater(pod, other)) heldBack.set(index, pod);
  }
  return { counted, succeeded, failed, heldBack };
}

/** No other Pod is made for its index. */
function isIndexLost(pod: Pod, settings: JobSettings): boolean {
  if (!isPodFailed(pod, settings)) return false;
  const { action } = rulingOn(settings.failurePolicy, pod);
  if (action === "FailIndex") return true;
  return action !== "Ignore" && failuresBefore(pod).counted >= (settings.backoffLimitPerIndex ?? 0);
}

const isLater = (pod: Pod, other: Pod): boolean => allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other);

export function allFailures(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}
