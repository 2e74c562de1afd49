/** What a CronJob's status must say of the Jobs that there are, and which of them are too old to be kept. */
import type { RecordedEvent } from "@coxswain/client";
import { millisOf } from "@coxswain/machinery";
import { finishedCondition } from "../shared/jobs/job-conditions.ts";
import { type CronJob, isListed, type Job, withoutJob } from "./cron-job-status.ts";

export interface Review {
  readonly cronJob: CronJob;
  readonly events: readonly RecordedEvent[];
}

export function reviewJobs(cronJob: CronJob, jobs: readonly Job[]): Review {
  let next = cronJob;
  const events: RecordedEvent[] = [];
  for (const job of jobs) {
    const { name, uid } = job.metadata ?? {};
    const finished = finishedCondition(job);
    if (finished === undefined) {
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      if (!isListed(next, uid)) events.push({ type: "Warning", reason: "UnexpectedJob", message });
      continue;
    }
    if (isListed(next, uid)) {
      next = withoutJob(next, uid);
      events.push({ type: "Normal", reason: "SawCompletedJob", message: `Saw completed job: ${name}, condition: ${finished.type}` });
    }
    if (finished.type === "Complete") next = withSuccess(next, job);
  }
  return { cronJob: next, events };
}

/** The earliest beyond what is to be kept of each kind. */
export function expiredJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const ended = (type: string): Job[] => jobs.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
  const beyond = (list: Job[], limit: number | undefined): Job[] =>
    limit === undefined ? [] : list.slice(0, Math.max(0, list.length - limit));
  return [...beyond(ended("Complete"), spec.successfulJobsHistoryLimit), ...beyond(ended("Failed"), spec.failedJobsHistoryLimit)];
}

/** Those that never started come last. */
const byStart = (a: Job, b: Job): number => {
  const [start, other] = [a, b].map(({ status }) => millisOf(status?.startTime) ?? Number.MAX_SAFE_INTEGER);
  return (start ?? 0) - (other ?? 0) || ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);
};

function withSuccess(cronJob: CronJob, { status }: Job): CronJob {
  const at = millisOf(status?.completionTime);
  const before = millisOf(cronJob.status?.lastSuccessfulTime);
  if (at === undefined || status?.completionTime === undefined || (before !== undefined && at <= before)) return cronJob;
  return { ...cronJob, status: { ...cronJob.status, lastSuccessfulTime: status.completionTime } };
}
