/** Which Pods a Job that goes on needs, and which are too many. */
import type { Pod } from "../shared/pods/pod-state.ts";
import { firstMissing, type Intervals, withIndexes } from "./index-intervals.ts";
import { finishedAt, indexesOf, validIndexOf } from "./job-pods.ts";
import type { JobSettings } from "./job-settings.ts";
import { allFailures, type JobIndexes, type JobObservation } from "./observe-job.ts";
import { remainingDelay } from "./pod-backoff.ts";
import { inRemovalOrder } from "./removal-order.ts";

/** Either deletes or makes Pods, never both in one turn. */
export type PodPlan =
  | { readonly do: "nothing" }
  | { readonly do: "delete"; readonly pods: readonly Pod[] }
  /** One Pod for each; without an index in a Job that has none. */
  | { readonly do: "create"; readonly indexes: readonly (number | undefined)[] }
  /** After a failure. */
  | { readonly do: "wait"; readonly afterMs: number };

/** In one turn, so that a large Job does not keep others waiting. */
const maxPerReconcile = 500;

export function planPods(seen: JobObservation, nowMs: number): PodPlan {
  const { settings, active, terminating } = seen;
  if (settings.isSuspended) return deletion(surplusOf(settings, active, active.length));
  const wanted = wantedActive(seen);
  const surplus = surplusOf(settings, active, Math.max(0, active.length - wanted)).slice(0, maxPerReconcile);
  if (surplus.length > 0) return deletion(surplus);
  const missing = wanted - active.length - (settings.replacesOnlyFailed ? terminating.length : 0);
  return missing > 0 ? creation(seen, missing, nowMs) : { do: "nothing" };
}

const deletion = (pods: readonly Pod[]): PodPlan => (pods.length === 0 ? { do: "nothing" } : { do: "delete", pods });

/** Never more than there are completions to come. Without a number of them no Pod is made after the first success. */
function wantedActive({ settings: { completions, parallelism }, succeeded, active }: JobObservation): number {
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** At least so many; and of an Indexed Job all whose index is none, or not their own alone. */
function surplusOf(settings: JobSettings, active: readonly Pod[], atLeast: number): Pod[] {
  const wrong: Pod[] = [];
  let left = active;
  if (settings.isIndexed) {
    const byIndex = Map.groupBy(active, (pod) => validIndexOf(pod, settings));
    wrong.push(...(byIndex.get(undefined) ?? []));
    byIndex.delete(undefined);
    left = [...byIndex.values()].flatMap((pods) => {
      if (pods.length > 1) wrong.push(...inRemovalOrder(pods).slice(0, -1));
      return pods.length > 1 ? inRemovalOrder(pods).slice(-1) : pods;
    });
  }
  return wrong.length < atLeast ? [...wrong, ...inRemovalOrder(left).slice(0, atLeast - wrong.length)] : wrong;
}

function creation(seen: JobObservation, missing: number, nowMs: number): PodPlan {
  const { settings, indexes, failures } = seen;
  const afterMs = settings.backoffLimitPerIndex === undefined ? remainingDelay(failures, nowMs) : 0;
  if (afterMs > 0) return { do: "wait", afterMs };
  const count = Math.min(missing, maxPerReconcile);
  if (indexes === undefined) return { do: "create", indexes: Array.from({ length: count }, () => undefined) };
  const pending = firstMissing(takenIndexes(seen, indexes), count, settings.completions ?? 0);
  if (settings.backoffLimitPerIndex === undefined) return pending.length === 0 ? { do: "nothing" } : { do: "create", indexes: pending };
  const delays = pending.map((index) => delayOf(indexes.heldBack.get(index), nowMs));
  const now = pending.filter((_, i) => delays[i] === 0);
  if (now.length > 0) return { do: "create", indexes: now };
  return delays.length === 0 ? { do: "nothing" } : { do: "wait", afterMs: Math.min(...delays) };
}

/** No Pod is made for these. */
function takenIndexes({ settings, active, terminating }: JobObservation, { succeeded, failed = [] }: JobIndexes): Intervals {
  const waitedFor = settings.replacesOnlyFailed ? indexesOf(terminating) : [];
  return withIndexes([...succeeded, ...failed], [...indexesOf(active), ...waitedFor]);
}

const delayOf = (last: Pod | undefined, nowMs: number): number =>
  last === undefined ? 0 : remainingDelay({ count: allFailures(last) + 1, lastMs: finishedAt(last) }, nowMs);
