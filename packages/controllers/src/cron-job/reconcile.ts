/** One look at a CronJob: it clears away old Jobs, starts the one that is due, and tells of both. */
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
  unlessNotFound,
} from "@coxswain/client";
import { deepEqual, wireTime } from "@coxswain/machinery";
import { isJobFinished } from "../shared/jobs/job-conditions.ts";
import { type CronJob, isListed, type Job, jobAt, referenceTo, withoutJob } from "./cron-job-status.ts";
import { planRun, type RunPlan, scheduleOf } from "./plan-run.ts";
import { expiredJobs, reviewJobs } from "./review-jobs.ts";
import { nextLookMs } from "./schedule-times.ts";

type Context = ReconcileContext<CronJob>;

export async function reconcileCronJob(key: string, ctx: Context, seen: Map<string, string>): Promise<Outcome> {
  const { object: cronJob, client } = ctx;
  if (cronJob === undefined) {
    seen.delete(key);
    return done;
  }
  const pauseMs = pauseAfterChange(key, cronJob, seen, client.clock.now());
  if (pauseMs !== undefined) return requeue(pauseMs);
  const look = new Look(ctx, cronJob);
  try {
    return await look.run();
  } finally {
    await look.writeStatus();
  }
}

/** A new schedule holds from its next time on: what would have been due before is not made up for at once. */
function pauseAfterChange(key: string, cronJob: CronJob, seen: Map<string, string>, nowMs: number): number | undefined {
  const { schedule, timeZone = "" } = cronJob.spec;
  const before = seen.get(key);
  const now = `${cronJob.metadata?.uid} ${timeZone} ${schedule}`;
  seen.set(key, now);
  if (before === undefined || before === now || before.split(" ", 1)[0] !== cronJob.metadata?.uid) return undefined;
  const parsed = scheduleOf(cronJob);
  return typeof parsed === "string" ? undefined : nextLookMs(cronJob, parsed, nowMs);
}

/** Carries the CronJob along as its status changes, to write that once. */
class Look {
  readonly #ctx: Context;
  /** As the server has it, as far as is known. */
  #before: CronJob;
  #cronJob: CronJob;

  constructor(ctx: Context, cronJob: CronJob) {
    this.#ctx = ctx;
    this.#before = cronJob;
    this.#cronJob = cronJob;
  }

  async run(): Promise<Outcome> {
    const { owned, client } = this.#ctx;
    const all = owned(jobs).toSorted((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
    const expired = new Set(expiredJobs(this.#cronJob, all));
    for (const job of expired) await this.#delete(job).catch(() => undefined);
    await this.#refresh(all);
    const review = reviewJobs(this.#cronJob, all);
    this.#cronJob = review.cronJob;
    for (const event of review.events) this.#tell(event);
    for (const { uid, ...ref } of review.missing) if ((await this.#find(ref)) === undefined) this.#forget(ref.name, uid);
    const plan = planRun(this.#cronJob, client.clock.now());
    for (const event of plan.events) this.#tell(event);
    if (plan.do === "rest") return done;
    if (plan.do === "wait") return requeue(plan.afterMs);
    return this.#start(plan);
  }

  /** A Job that the status does not know may be one that the cache does not know the status to know. */
  async #refresh(all: readonly Job[]): Promise<void> {
    const { metadata } = this.#before;
    if (all.every((job) => isJobFinished(job) || isListed(this.#before, job.metadata?.uid))) return;
    const ref = { namespace: metadata?.namespace, name: metadata?.name ?? "" };
    const fresh = await this.#ctx.client.resource(cronJobs).get(ref, { signal: this.#ctx.signal });
    if (fresh.metadata?.uid !== metadata?.uid || this.#cronJob !== this.#before) return;
    this.#before = fresh;
    this.#cronJob = fresh;
  }

  /** @throws StatusError a conflict when the CronJob is not the newest */
  async writeStatus(): Promise<void> {
    const { client, signal } = this.#ctx;
    if (deepEqual(this.#cronJob.status ?? {}, this.#before.status ?? {})) return;
    await client.resource(cronJobs, this.#before.metadata?.namespace).updateStatus(this.#cronJob, { signal });
  }

  async #start({ at, replaces, schedule }: RunPlan & { readonly do: "start" }): Promise<Outcome> {
    const { client } = this.#ctx;
    if (replaces) await this.#deleteActive();
    const job = await this.#create(jobAt(this.#cronJob, at));
    if (job === undefined) return done;
    const { status = {} } = this.#cronJob;
    const active = [...(status.active ?? []), referenceTo(job)];
    this.#cronJob = { ...this.#cronJob, status: { ...status, active, lastScheduleTime: wireTime(at) } };
    return requeue(nextLookMs(this.#cronJob, schedule, client.clock.now()));
  }

  /** Undefined when it is there already and needs no mention. */
  async #create(wanted: Job): Promise<Job | undefined> {
    const { client, signal } = this.#ctx;
    const resource = client.resource(jobs, this.#cronJob.metadata?.namespace);
    try {
      const job = await resource.create(wanted, { signal });
      this.#tell({ type: "Normal", reason: "SuccessfulCreate", message: `Created job ${job.metadata?.name}` });
      return job;
    } catch (error) {
      if (!isAlreadyExists(error)) {
        if (!isNamespaceTerminating(error))
          this.#tell({ type: "Warning", reason: "FailedCreate", message: `Error creating job: ${messageOf(error)}` });
        throw error;
      }
      // Made by an earlier look that could not tell of it.
      const job = await resource.get(wanted.metadata?.name ?? "", { signal });
      return isControlledBy(job, this.#cronJob) && !isListed(this.#cronJob, job.metadata?.uid) ? job : undefined;
    }
  }

  async #deleteActive(): Promise<void> {
    for (const { namespace, name = "" } of this.#cronJob.status?.active ?? []) {
      const job = await this.#find({ ...(namespace === undefined ? {} : { namespace }), name });
      if (job !== undefined) await this.#delete(job);
    }
  }

  async #delete(job: Job): Promise<void> {
    const { client, signal } = this.#ctx;
    const { namespace, name = "", uid } = job.metadata ?? {};
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    try {
      await client.resource(jobs).delete({ namespace, name }, { propagationPolicy: "Background", ...preconditions, signal });
      this.#tell({ type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${name}` });
    } catch (error) {
      if (!isObjectNotFound(error, jobs, name)) {
        this.#tell({ type: "Warning", reason: "FailedDelete", message: `Deleted job: ${messageOf(error)}` });
        throw error;
      }
    }
    this.#cronJob = withoutJob(this.#cronJob, uid);
  }

  /** Asks the server: the cache may be behind. */
  #find(ref: { readonly namespace?: string; readonly name: string }): Promise<Job | undefined> {
    const { client, signal } = this.#ctx;
    return unlessNotFound(client.resource(jobs).get(ref, { signal }), jobs, ref.name);
  }

  #forget(name: string, uid: string): void {
    this.#tell({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` });
    this.#cronJob = withoutJob(this.#cronJob, uid);
  }

  #tell(event: RecordedEvent): void {
    this.#ctx.events.record(this.#before, event, cronJobs);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
