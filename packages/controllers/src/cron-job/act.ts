/** Deletes old Jobs of a CronJob, starts the one that is due, and writes the status. */
import {
  cronJobs,
  done,
  isAlreadyExists,
  isControlledBy,
  isNamespaceTerminating,
  isObjectNotFound,
  jobs,
  type Outcome,
  type ReconcileContext,
  type RecordedEvent,
  requeue,
} from "@coxswain/client";
import { deepEqual, messageOf, wireTime } from "@coxswain/machinery";
import { type CronJob, isListed, type Job, jobAt, referenceTo, withoutJob } from "./cron-job-status.ts";
import { type ObservedCronJob, readJob } from "./observe.ts";
import type { CronJobPlan } from "./plan.ts";
import type { RunPlan } from "./plan-run.ts";
import { expiredJobs } from "./review-jobs.ts";
import { nextReconcileMs } from "./schedule-times.ts";

type Context = ReconcileContext<CronJob>;

/** Deletes the Jobs beyond the history limits. Those that could not be deleted are tried again with the next reconcile. */
export async function cleanUp(ctx: Context, observed: ObservedCronJob): Promise<ObservedCronJob> {
  let { cronJob } = observed;
  for (const job of expiredJobs(cronJob, observed.jobs)) {
    const isDeleted = await deleteJob(ctx, cronJob, job).then(
      () => true,
      () => false,
    );
    if (isDeleted) cronJob = withoutJob(cronJob, job.metadata?.uid);
  }
  return { ...observed, cronJob };
}

/** @throws whatever a write ends with, once the status says what was done */
export async function act(ctx: Context, { before }: ObservedCronJob, planned: CronJobPlan): Promise<Outcome> {
  const state = { cronJob: planned.cronJob };
  for (const event of planned.events) record(ctx, before, event);
  try {
    return await run(ctx, state, planned.run);
  } finally {
    await writeStatus(ctx, before, state.cronJob);
  }
}

/** The CronJob as its status changes with each step. */
interface State {
  cronJob: CronJob;
}

async function run(ctx: Context, state: State, planned: RunPlan): Promise<Outcome> {
  if (planned.do === "nothing") return done;
  if (planned.do === "wait") return requeue(planned.afterMs);
  if (planned.replaces) await deleteActive(ctx, state);
  const job = await create(ctx, state.cronJob, jobAt(state.cronJob, planned.at));
  if (job === undefined) return done;
  const { status = {} } = state.cronJob;
  const active = [...(status.active ?? []), referenceTo(job)];
  state.cronJob = { ...state.cronJob, status: { ...status, active, lastScheduleTime: wireTime(planned.at) } };
  return requeue(nextReconcileMs(state.cronJob, planned.schedule, ctx.client.clock.now()));
}

async function deleteActive(ctx: Context, state: State): Promise<void> {
  for (const { namespace, name = "" } of state.cronJob.status?.active ?? []) {
    const job = await readJob(ctx, { namespace, name });
    if (job === undefined) continue;
    await deleteJob(ctx, state.cronJob, job);
    state.cronJob = withoutJob(state.cronJob, job.metadata?.uid);
  }
}

/** Undefined when the Job exists already and the status has it, or it is another's. */
async function create(ctx: Context, cronJob: CronJob, wanted: Job): Promise<Job | undefined> {
  const { client, signal } = ctx;
  const resource = client.resource(jobs, cronJob.metadata?.namespace);
  try {
    const job = await resource.create(wanted, { signal });
    record(ctx, cronJob, { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${job.metadata?.name}` });
    return job;
  } catch (error) {
    if (!isAlreadyExists(error)) {
      if (!isNamespaceTerminating(error))
        record(ctx, cronJob, { type: "Warning", reason: "FailedCreate", message: `Error creating job: ${messageOf(error)}` });
      throw error;
    }
    // Created by an earlier reconcile that could not write the status.
    const job = await resource.get(wanted.metadata?.name ?? "", { signal });
    return isControlledBy(job, cronJob) && !isListed(cronJob, job.metadata?.uid) ? job : undefined;
  }
}

async function deleteJob(ctx: Context, cronJob: CronJob, job: Job): Promise<void> {
  const { client, signal } = ctx;
  const { namespace, name = "", uid } = job.metadata ?? {};
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  try {
    await client.resource(jobs).delete({ namespace, name }, { propagationPolicy: "Background", ...preconditions, signal });
    record(ctx, cronJob, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${name}` });
  } catch (error) {
    if (isObjectNotFound(error, jobs, name)) return;
    record(ctx, cronJob, { type: "Warning", reason: "FailedDelete", message: `Deleted job: ${messageOf(error)}` });
    throw error;
  }
}

/** @throws StatusError a conflict when the CronJob is not the newest */
async function writeStatus({ client, signal }: Context, before: CronJob, cronJob: CronJob): Promise<void> {
  if (deepEqual(cronJob.status ?? {}, before.status ?? {})) return;
  await client.resource(cronJobs, before.metadata?.namespace).updateStatus(cronJob, { signal });
}

const record = ({ events }: Context, cronJob: CronJob, event: RecordedEvent): void => events.record(cronJob, event, cronJobs);
