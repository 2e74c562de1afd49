import { millisOf } from "@coxswain/machinery";
import { finishedCondition } from "../job/job-conditions.ts";
import type { Job } from "../job/job-settings.ts";

/** When it is to be deleted, in milliseconds since the epoch; undefined while it runs, or when it is to stay or goes already. */
export function expiryOf(job: Job): number | undefined {
  const ttlSeconds = job.spec?.ttlSecondsAfterFinished;
  const finishedAt = millisOf(finishedCondition(job)?.lastTransitionTime);
  if (ttlSeconds === undefined || finishedAt === undefined || job.metadata?.deletionTimestamp !== undefined) return undefined;
  return finishedAt + ttlSeconds * 1000;
}
