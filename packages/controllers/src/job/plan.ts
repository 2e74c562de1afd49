/** What a Job's Pods and status become. */
import { wireTime } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { Job } from "./job-settings.ts";
import { completionsReached, type JobEnd, judgeJob } from "./judge-job.ts";
import type { JobObservation } from "./observe-job.ts";
import { type PodPlan, planPods } from "./plan-pods.ts";
import { type Suspension, withSuspension } from "./suspension.ts";
import { planTracking, type TrackingPlan } from "./track-pods.ts";

export interface JobPlan {
  /** With its start time. */
  readonly started: Job;
  /** How the Job ends, if that is decided. */
  readonly end: JobEnd | undefined;
  /** Neither at its end nor being deleted. */
  readonly isGoingOn: boolean;
  /** `end`: these Pods are deleted, and counted as failed. */
  readonly pods: PodPlan | { readonly do: "end"; readonly pods: readonly Pod[] };
}

export function plan(seen: JobObservation, nowMs: number): JobPlan {
  const started = withStart(seen, nowMs);
  const end = judgeJob({ ...seen, job: started }, nowMs);
  const isGoingOn = end === undefined && seen.job.metadata?.deletionTimestamp === undefined;
  if (end !== undefined) return { started, end, isGoingOn, pods: { do: "end", pods: seen.active } };
  return { started, end, isGoingOn, pods: isGoingOn ? planPods(seen, nowMs) : { do: "nothing" } };
}

function withStart({ job, settings }: JobObservation, nowMs: number): Job {
  if (job.status?.startTime !== undefined || settings.isSuspended) return job;
  return { ...job, status: { ...job.status, startTime: wireTime(nowMs) } };
}

/** How many Pods there are once they have been created or deleted. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

export interface StatusPlan {
  readonly tracking: TrackingPlan;
  /** How the Job ends, if all its Pods are on their way. */
  readonly end: JobEnd | undefined;
  readonly event: Suspension["event"] | undefined;
}

/** What the status counts once Pods have been created or deleted. */
export function planStatus(
  seen: JobObservation,
  { started, end: judged, isGoingOn }: JobPlan,
  counts: PodCounts,
  nowMs: number,
): StatusPlan {
  // Pods that could not be deleted yet are still to be counted: the Job ends once all are being deleted.
  const end = judged === undefined ? completionsReached(seen, counts.active) : counts.active === 0 ? judged : undefined;
  const { active, ready, terminating } = counts;
  const counted = { ...started.status, active, ready, terminating };
  const suspension = isGoingOn && end === undefined ? withSuspension(counted, seen.settings, nowMs) : undefined;
  return { tracking: planTracking(seen, suspension?.status ?? counted, end), end, event: suspension?.event };
}
