/** How long a Pod that failed is not replaced: 10 s, twice as long with each further failure, at most 10 minutes. */
import type { Pod } from "../shared/pods/pod-state.ts";
import { finishedAt } from "./job-pods.ts";

/** Failures since the last success. */
export interface PodFailures {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastMs: number;
}

export const noFailures: PodFailures = { count: 0, lastMs: 0 };

const firstDelayMs = 10_000;
const maxDelayMs = 600_000;

/** With Pods that ended since: a success sets all failures before it to naught. */
export function nextFailures(before: PodFailures, succeeded: readonly Pod[], failed: readonly Pod[]): PodFailures {
  const lastSuccess = succeeded.length === 0 ? undefined : Math.max(...succeeded.map(finishedAt));
  const ends = failed.map(finishedAt).filter((end) => lastSuccess === undefined || end > lastSuccess);
  const start = lastSuccess === undefined ? before : noFailures;
  return ends.length === 0 ? start : { count: start.count + ends.length, lastMs: Math.max(...ends) };
}

/** Milliseconds until the next Pod may be made; 0 for now. */
export function remainingDelay({ count, lastMs }: PodFailures, nowMs: number): number {
  if (count === 0) return 0;
  const delayMs = Math.min(firstDelayMs * 2 ** (count - 1), maxDelayMs);
  return Math.max(0, lastMs + delayMs - nowMs);
}
