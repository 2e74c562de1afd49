import type { CronJob } from "./cron-job-status.ts";
import { scheduleOf } from "./plan-run.ts";
import { nextReconcileMs } from "./schedule-times.ts";

/** Remembers each CronJob's schedule: a new one holds from its next time on, and what it would have missed before is not made up for. */
export class ScheduleMemory {
  readonly #schedules = new Map<string, string>();

  forget(key: string): void {
    this.#schedules.delete(key);
  }

  /** Milliseconds to wait when the schedule has changed since the last reconcile; undefined when it has not. */
  waitAfterChangeMs(key: string, cronJob: CronJob, nowMs: number): number | undefined {
    const { schedule, timeZone = "" } = cronJob.spec;
    const before = this.#schedules.get(key);
    const now = `${cronJob.metadata?.uid} ${timeZone} ${schedule}`;
    this.#schedules.set(key, now);
    if (before === undefined || before === now || before.split(" ", 1)[0] !== cronJob.metadata?.uid) return undefined;
    const parsed = scheduleOf(cronJob);
    return typeof parsed === "string" ? undefined : nextReconcileMs(cronJob, parsed, nowMs);
  }
}
