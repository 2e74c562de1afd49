/** Creates and deletes the Job's Pods, counts those that have ended, and writes the status. */
import { done, jobs, type Outcome, type ReconcileContext, requeue } from "@coxswain/client";
import { deepEqual, wireTime } from "@coxswain/machinery";
import { finishedCondition, newCondition, withJobCondition } from "../shared/jobs/job-conditions.ts";
import { actOnPods, type PodsNow, releasePod } from "./act-on-pods.ts";
import { isTracked, uidOf } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import { deadlineOf, type JobEnd } from "./judge-job.ts";
import type { JobMemory } from "./memory.ts";
import type { JobObservation } from "./observe-job.ts";
import { type JobPlan, planStatus, type StatusPlan } from "./plan.ts";
import { countReleased, type JobStatus, wireStatus } from "./track-pods.ts";

/** @throws what creating or deleting Pods failed with, once the status says what was done */
export async function act(
  key: string,
  ctx: ReconcileContext<Job>,
  { seen, planned, nowMs }: { readonly seen: JobObservation; readonly planned: JobPlan; readonly nowMs: number },
  memory: JobMemory,
): Promise<Outcome> {
  const { job } = seen;
  const now = await actOnPods(ctx, job, seen, planned.pods);
  const status = planStatus(seen, planned, now, nowMs);
  await writeStatuses(ctx, seen, status, { now, onReported: () => memory.keepFailures(key, job, seen.failures) });
  if (now.error !== undefined) throw now.error;
  return nextReconcile(planned.started, seen, now, ctx.client.clock.now());
}

/** First what is to be counted, then the finalizers go, then the counts and, when all is over, the end. */
async function writeStatuses(
  ctx: ReconcileContext<Job>,
  seen: JobObservation,
  { tracking, end, event }: StatusPlan,
  { now, onReported }: { readonly now: PodsNow; readonly onReported: () => void },
): Promise<void> {
  const { client, events } = ctx;
  let job = await write(ctx, seen.job, withInterim(tracking.status, end, client.clock.now()));
  onReported();
  if (event !== undefined) events.record(job, { type: "Normal", ...event }, jobs);
  const released = await Promise.allSettled(tracking.release.map((pod) => releasePod(ctx, pod)));
  const gone = new Set(tracking.release.filter((_, i) => released[i]?.status === "fulfilled"));
  const held = new Set(seen.pods.filter((pod) => isTracked(pod) && !gone.has(pod)).map(uidOf));
  const counted = countReleased(job.status ?? {}, held);
  const failure = released.find((outcome) => outcome.status === "rejected");
  const isOver = end !== undefined && failure === undefined && !tracking.isCapped && now.terminating === 0 && isAllCounted(counted);
  job = await write(ctx, job, isOver ? withEnd(counted, end, client.clock.now()) : counted);
  if (failure !== undefined) throw failure.reason;
  if (isOver) recordEnd(ctx, job);
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
function withInterim(status: JobStatus, end: JobEnd | undefined, nowMs: number): JobStatus {
  if (end === undefined || end.isReported) return status;
  const type = end.outcome === "succeeded" ? "SuccessCriteriaMet" : "FailureTarget";
  return {
    ...status,
    conditions: [...(status.conditions ?? []), newCondition({ type, status: "True", reason: end.reason, message: end.message }, nowMs)],
  };
}

function withEnd(status: JobStatus, { outcome, reason, message }: JobEnd, nowMs: number): JobStatus {
  const condition = newCondition({ type: outcome === "succeeded" ? "Complete" : "Failed", status: "True", reason, message }, nowMs);
  const conditions = [...withJobCondition(status.conditions ?? [], condition)];
  return { ...status, conditions, ...(outcome === "succeeded" ? { completionTime: wireTime(nowMs) } : {}) };
}

function recordEnd({ events }: ReconcileContext<Job>, job: Job): void {
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
function nextReconcile(started: Job, { settings }: JobObservation, { afterMs }: PodsNow, nowMs: number): Outcome {
  const deadline = deadlineOf(started, settings);
  const waits = [afterMs === undefined ? undefined : Math.max(afterMs, 1_000), deadline === undefined ? undefined : deadline - nowMs];
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? done : requeue(Math.max(1, Math.min(...known)));
}
