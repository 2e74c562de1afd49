/** One look at a Job: it judges whether it ends, runs the Pods it needs, and counts those that have ended. */
import { done, jobs, type Outcome, pods, type ReconcileContext, requeue } from "@coxswain/client";
import { deepEqual, wireTime } from "@coxswain/machinery";
import { finishedCondition, isJobFinished, newCondition, withJobCondition } from "../shared/jobs/job-conditions.ts";
import { claim } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { isTracked, trackingFinalizer, uidOf } from "./job-pods.ts";
import { isManagedElsewhere, type Job } from "./job-settings.ts";
import { completionsReached, deadlineOf, judgeJob, type Verdict } from "./judge-job.ts";
import type { JobMemory } from "./memory.ts";
import { type JobObservation, observeJob } from "./observe.ts";
import { endPods, managePods, type PodsNow, podsAsTheyAre, releasePod } from "./run-pods.ts";
import { selectorOf } from "./selector.ts";
import { withSuspension } from "./suspension.ts";
import { countReleased, type JobStatus, planTracking, type TrackingPlan, wireStatus } from "./track-pods.ts";

export async function reconcileJob(key: string, ctx: ReconcileContext<Job>, memory: JobMemory): Promise<Outcome> {
  const { object: job, client, events } = ctx;
  if (job === undefined || isJobFinished(job)) memory.forget(key);
  if (job === undefined || isJobFinished(job) || isManagedElsewhere(job)) return done;
  const { completionMode = "NonIndexed" } = job.spec ?? {};
  if (completionMode !== "NonIndexed" && completionMode !== "Indexed") {
    const message = "Skipped Job sync because completion mode is unknown";
    events.record(job, { type: "Warning", reason: "UnknownCompletionMode", message }, jobs);
    return done;
  }
  const pauseMs = memory.pauseBefore(key, job, client.clock.now());
  return pauseMs > 0 ? requeue(pauseMs) : await run(key, ctx, job, memory);
}

async function run(key: string, ctx: ReconcileContext<Job>, job: Job, memory: JobMemory): Promise<Outcome> {
  const nowMs = ctx.client.clock.now();
  const seen = observeJob(job, await claimPods(ctx, job), memory.failuresOf(key, job));
  const started = withStart(seen, nowMs);
  const judged = judgeJob({ ...seen, job: started }, nowMs);
  const isGoingOn = judged === undefined && job.metadata?.deletionTimestamp === undefined;
  const now =
    judged !== undefined ? await endPods(ctx, job, seen) : isGoingOn ? await managePods(ctx, job, seen, nowMs) : podsAsTheyAre(seen);
  // What could not be deleted yet is still to be counted: the verdict is carried out once all are on their way.
  const verdict = judged === undefined ? completionsReached(seen, now.active) : now.active === 0 ? judged : undefined;
  const counted = { ...started.status, active: now.active, ready: now.ready, terminating: now.terminating };
  const suspension = isGoingOn && verdict === undefined ? withSuspension(counted, seen.settings, nowMs) : undefined;
  const tracking = planTracking(seen, suspension?.status ?? counted, verdict);
  const finish = { tracking, verdict, now, event: suspension?.event, told: () => memory.keepFailures(key, job, seen.failures) };
  await writeStatuses(ctx, seen, finish);
  if (now.error !== undefined) throw now.error;
  return nextLook(started, seen, now, ctx.client.clock.now());
}

function claimPods(ctx: ReconcileContext<Job>, job: Job): Promise<Pod[]> {
  const { client, signal } = ctx;
  const candidates = ownedAndOrphans(ctx, pods);
  const finalizers = [trackingFinalizer];
  return claim({ client, ref: pods, owner: job, ownerRef: jobs, selector: selectorOf(job), candidates, finalizers, signal });
}

function withStart({ job, settings }: JobObservation, nowMs: number): Job {
  if (job.status?.startTime !== undefined || settings.isSuspended) return job;
  return { ...job, status: { ...job.status, startTime: wireTime(nowMs) } };
}

interface Finish {
  readonly tracking: TrackingPlan;
  readonly verdict: Verdict | undefined;
  readonly now: PodsNow;
  readonly event: { readonly reason: string; readonly message: string } | undefined;
  /** Called when the status tells of the Pods that have ended. */
  readonly told: () => void;
}

/** First what is to be counted, then the finalizers go, then the counts and, when all is over, the end. */
async function writeStatuses(
  ctx: ReconcileContext<Job>,
  seen: JobObservation,
  { tracking, verdict, now, event, told }: Finish,
): Promise<void> {
  const { client, events } = ctx;
  let job = await write(ctx, seen.job, withInterim(tracking.status, verdict, client.clock.now()));
  told();
  if (event !== undefined) events.record(job, { type: "Normal", ...event }, jobs);
  const released = await Promise.allSettled(tracking.release.map((pod) => releasePod(ctx, pod)));
  const gone = new Set(tracking.release.filter((_, i) => released[i]?.status === "fulfilled"));
  const held = new Set(seen.pods.filter((pod) => isTracked(pod) && !gone.has(pod)).map(uidOf));
  const counted = countReleased(job.status ?? {}, held);
  const failure = released.find((outcome) => outcome.status === "rejected");
  const isOver = verdict !== undefined && failure === undefined && !tracking.isCapped && now.terminating === 0 && isAllCounted(counted);
  job = await write(ctx, job, isOver ? withEnd(counted, verdict, client.clock.now()) : counted);
  if (failure !== undefined) throw failure.reason;
  if (isOver) tellEnd(ctx, job);
}

const isAllCounted = ({ uncountedTerminatedPods: { succeeded = [], failed = [] } = {} }: JobStatus): boolean =>
  succeeded.length + failed.length === 0;

/** Nothing is sent when nothing changes. */
async function write({ client, signal }: ReconcileContext<Job>, job: Job, next: JobStatus): Promise<Job> {
  const status = wireStatus(next);
  if (deepEqual(status, job.status)) return job;
  return client.resource(jobs, job.metadata?.namespace).updateStatus({ ...job, status }, { signal });
}

/** That it is decided how the Job ends, while its Pods still do. */
function withInterim(status: JobStatus, verdict: Verdict | undefined, nowMs: number): JobStatus {
  if (verdict === undefined || verdict.isTold) return status;
  const type = verdict.outcome === "succeeded" ? "SuccessCriteriaMet" : "FailureTarget";
  return { ...status, conditions: [...(status.conditions ?? []), newCondition(type, "True", verdict.reason, verdict.message, nowMs)] };
}

function withEnd(status: JobStatus, { outcome, reason, message }: Verdict, nowMs: number): JobStatus {
  const condition = newCondition(outcome === "succeeded" ? "Complete" : "Failed", "True", reason, message, nowMs);
  const conditions = [...withJobCondition(status.conditions ?? [], condition)];
  return { ...status, conditions, ...(outcome === "succeeded" ? { completionTime: wireTime(nowMs) } : {}) };
}

function tellEnd({ events }: ReconcileContext<Job>, job: Job): void {
  const { type, reason = "", message = "" } = finishedCondition(job) ?? {};
  if (type === "Failed") {
    events.record(job, { type: "Warning", reason, message }, jobs);
    return;
  }
  if (job.spec?.completions !== undefined && (job.status?.succeeded ?? 0) > job.spec.completions) {
    const tooMany = "Too many succeeded pods running after completion count reached";
    events.record(job, { type: "Warning", reason: "TooManySucceededPods", message: tooMany }, jobs);
  }
  events.record(job, { type: "Normal", reason: "Completed", message: "Job completed" }, jobs);
}

/** When time alone changes something. */
function nextLook(started: Job, { settings }: JobObservation, { afterMs }: PodsNow, nowMs: number): Outcome {
  const deadline = deadlineOf(started, settings);
  const waits = [afterMs === undefined ? undefined : Math.max(afterMs, 1_000), deadline === undefined ? undefined : deadline - nowMs];
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? done : requeue(Math.max(1, Math.min(...known)));
}
