/** What a CronJob's status says of its Jobs, and whether one is to be started. */
import type { RecordedEvent } from "@coxswain/client";
import { type CronJob, withoutJob } from "./cron-job-status.ts";
import type { ObservedCronJob } from "./observe.ts";
import { planRun, type RunPlan } from "./plan-run.ts";
import { reviewJobs } from "./review-jobs.ts";

export interface CronJobPlan {
  /** With its new status. */
  readonly cronJob: CronJob;
  readonly events: readonly RecordedEvent[];
  readonly run: RunPlan;
}

export function plan({ cronJob: observed, jobs, absent, nowMs }: ObservedCronJob): CronJobPlan {
  const review = reviewJobs(observed, jobs);
  const cronJob = absent.reduce((one, { uid }) => withoutJob(one, uid), review.cronJob);
  const missing = absent.map(
    ({ name }): RecordedEvent => ({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` }),
  );
  const run = planRun(cronJob, nowMs);
  return { cronJob, events: [...review.events, ...missing, ...run.events], run };
}
