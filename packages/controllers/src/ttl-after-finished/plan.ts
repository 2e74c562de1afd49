/** When a finished Job is deleted. */
import type { batchV1 } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";
import { finishedCondition } from "../shared/jobs/job-conditions.ts";

export type Job = batchV1.Job;

export interface ObservedJob {
  readonly job: Job;
  readonly nowMs: number;
}

export type TtlPlan = { readonly do: "nothing" } | { readonly do: "wait"; readonly afterMs: number } | { readonly do: "delete" };

export function plan({ job, nowMs }: ObservedJob): TtlPlan {
  const atMs = expiryOf(job);
  if (atMs === undefined) return { do: "nothing" };
  return atMs > nowMs ? { do: "wait", afterMs: atMs - nowMs } : { do: "delete" };
}

/** When it is to be deleted, in milliseconds since the epoch; undefined while it runs, or when it is to stay or goes already. */
export function expiryOf(job: Job): number | undefined {
  const ttlSeconds = job.spec?.ttlSecondsAfterFinished;
  const finishedAt = millisOf(finishedCondition(job)?.lastTransitionTime);
  if (ttlSeconds === undefined || finishedAt === undefined || job.metadata?.deletionTimestamp !== undefined) return undefined;
  return finishedAt + ttlSeconds * 1000;
}
