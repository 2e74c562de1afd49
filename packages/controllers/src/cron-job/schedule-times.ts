/** Which run of a CronJob is due, how many have been missed, and when to look again. */
import type { CronSchedule } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";
import type { CronJob } from "./cron-job-status.ts";
import { nextTime } from "./next-time.ts";

/** Milliseconds since the epoch throughout. */
export type DueRun =
  | { readonly kind: "none" }
  | { readonly kind: "due"; readonly at: number; readonly hasTooManyMissed: boolean }
  /** It is never due, or always: the days that it names do not exist. */
  | { readonly kind: "never" };

/** Clocks of several machines differ a little: whoever looks too early sees nothing. */
const marginMs = 100;

/** More than these are worth a warning. */
const maxMissedWithoutWarning = 100;

/** Of all runs that were missed the latest alone is made up for, if it is not older than the CronJob's deadline. */
export function dueRun(cronJob: CronJob, schedule: CronSchedule, nowMs: number): DueRun {
  const { startingDeadlineSeconds } = cronJob.spec;
  const deadline = startingDeadlineSeconds === undefined ? Number.NEGATIVE_INFINITY : nowMs - startingDeadlineSeconds * 1000;
  const recent = latestMissed(schedule, Math.max(lastRun(cronJob), deadline), nowMs);
  if (recent === undefined) return { kind: "never" };
  return recent.at === undefined
    ? { kind: "none" }
    : { kind: "due", at: recent.at, hasTooManyMissed: recent.missed > maxMissedWithoutWarning };
}

/** Milliseconds from now. */
export function nextReconcileMs(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number {
  const earliest = lastRun(cronJob);
  const recent = latestMissed(schedule, earliest, nowMs);
  const base = recent === undefined ? nowMs : (recent.at ?? (recent.missed === 0 ? earliest : nowMs));
  return Math.max(1, (nextTime(schedule, base) ?? nowMs) + marginMs - nowMs);
}

/** Nothing before it is made up for. */
const lastRun = ({ metadata, status }: CronJob): number => millisOf(status?.lastScheduleTime) ?? millisOf(metadata?.creationTimestamp) ?? 0;

interface Recent {
  readonly at: number | undefined;
  /** Roughly, where the times between runs differ. */
  readonly missed: number;
}

/** Without walking through all that was missed in years. */
function latestMissed(schedule: CronSchedule, earliest: number, nowMs: number): Recent | undefined {
  const first = nextTime(schedule, earliest);
  if (first === undefined) return undefined;
  if (nowMs < first) return { at: undefined, missed: 0 };
  const second = nextTime(schedule, first);
  if (second === undefined || nowMs < second) return { at: first, missed: 0 };
  const period = Math.max(1, Math.round((second - first) / 1000)) * 1000;
  const missed = Math.floor((nowMs - first) / period) + 1;
  let at: number | undefined;
  for (let ms = nextTime(schedule, first + (missed - 2) * period); ms !== undefined && ms <= nowMs; ms = nextTime(schedule, ms)) at = ms;
  return { at, missed };
}
