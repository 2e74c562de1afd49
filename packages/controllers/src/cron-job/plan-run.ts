/** Whether a CronJob is to start a Job now. */
import { type CronSchedule, parseSchedule, timeZoneProblem } from "@coxswain/api";
import type { RecordedEvent } from "@coxswain/client";
import { type CronJob, jobName } from "./cron-job-status.ts";
import { dueRun, nextReconcileMs } from "./schedule-times.ts";

export type RunPlan =
  /** Until something changes. */
  | { readonly do: "nothing"; readonly events: readonly RecordedEvent[] }
  | { readonly do: "wait"; readonly afterMs: number; readonly events: readonly RecordedEvent[] }
  /** For this moment, in milliseconds since the epoch. `schedule` says when to reconcile again. */
  | {
      readonly do: "start";
      readonly at: number;
      readonly replaces: boolean;
      readonly schedule: CronSchedule;
      readonly events: readonly RecordedEvent[];
    };

const warning = (reason: string, message: string): RecordedEvent => ({ type: "Warning", reason, message });

export function planRun(cronJob: CronJob, nowMs: number): RunPlan {
  const { metadata, spec, status } = cronJob;
  if (metadata?.deletionTimestamp !== undefined) return { do: "nothing", events: [] };
  const zoneProblem = spec.timeZone === undefined ? undefined : timeZoneProblem(spec.timeZone)[0];
  if (zoneProblem !== undefined)
    return { do: "nothing", events: [warning("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(spec.timeZone)}: ${zoneProblem}`)] };
  if (spec.suspend === true) return { do: "nothing", events: [] };
  const events = unsupported(cronJob);
  const schedule = scheduleOf(cronJob);
  if (typeof schedule === "string")
    return {
      do: "nothing",
      events: [...events, warning("UnparseableSchedule", `unparseable schedule: ${JSON.stringify(spec.schedule)} : ${schedule}`)],
    };
  const due = dueRun(cronJob, schedule, nowMs);
  if (due.kind === "never") {
    const problem = "time difference between two schedules is less than 1 second";
    return { do: "nothing", events: [...events, warning("InvalidSchedule", `invalid schedule: ${spec.schedule} : ${problem}`)] };
  }
  const wait = (...more: RecordedEvent[]): RunPlan => ({
    do: "wait",
    afterMs: nextReconcileMs(cronJob, schedule, nowMs),
    events: [...events, ...more],
  });
  if (due.kind === "none") return wait();
  if (due.hasTooManyMissed) {
    const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    events.push(warning("TooManyMissedTimes", `too many missed start times. ${advice}`));
  }
  const { startingDeadlineSeconds } = spec;
  if (startingDeadlineSeconds !== undefined && due.at + startingDeadlineSeconds * 1000 < nowMs)
    return wait(warning("MissSchedule", `Missed scheduled time to start a job: ${new Date(due.at).toUTCString().replace("GMT", "+0000")}`));
  const name = jobName(cronJob, due.at);
  const isStarted = status?.active?.some((job) => job.name === name) === true;
  if (isStarted || (status?.lastScheduleTime !== undefined && Date.parse(status.lastScheduleTime) === due.at)) return wait();
  const isBusy = (status?.active?.length ?? 0) > 0;
  if (spec.concurrencyPolicy === "Forbid" && isBusy) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return wait({ type: "Normal", reason: "JobAlreadyActive", message });
  }
  return { do: "start", at: due.at, replaces: spec.concurrencyPolicy === "Replace" && isBusy, schedule, events };
}

/** What is wrong with it as a string. Without a zone of its own it is in UTC. */
export function scheduleOf({ spec: { schedule, timeZone } }: CronJob): CronSchedule | string {
  const parsed = parseSchedule(schedule);
  if (typeof parsed === "string" || timeZone === undefined || schedule.includes("TZ")) return parsed;
  return { ...parsed, timeZone };
}

function unsupported({ spec: { schedule } }: CronJob): RecordedEvent[] {
  if (!schedule.includes("TZ")) return [];
  const where = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
  return [
    warning(
      "UnsupportedSchedule",
      `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see ${where} for more details`,
    ),
  ];
}
