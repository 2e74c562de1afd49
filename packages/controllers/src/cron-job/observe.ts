/** A CronJob, the Jobs that it has, and those of its status that do not exist any more. */
import { cronJobs, jobs, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import { isJobFinished } from "../shared/jobs/job-conditions.ts";
import { type CronJob, isListed, type Job } from "./cron-job-status.ts";

export interface ObservedCronJob {
  /** As the server has it, as far as is known. */
  readonly before: CronJob;
  /** With what has changed of its status since. */
  readonly cronJob: CronJob;
  /** Those that it controls, by name. */
  readonly jobs: readonly Job[];
  /** Jobs of `status.active` that the server does not have. */
  readonly absent: readonly AbsentJob[];
  readonly nowMs: number;
}

export interface AbsentJob {
  readonly name: string;
  readonly uid: string;
}

export async function observe(ctx: ReconcileContext<CronJob>, cached: CronJob): Promise<ObservedCronJob> {
  const owned = ctx.owned(jobs).toSorted((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
  const cronJob = await latest(ctx, cached, owned);
  return { before: cronJob, cronJob, jobs: owned, absent: await absentJobs(ctx, cronJob, owned), nowMs: ctx.client.clock.now() };
}

/** The cached CronJob may be older than a Job that its status does not list: then the server is asked. */
async function latest({ client, signal }: ReconcileContext<CronJob>, cached: CronJob, owned: readonly Job[]): Promise<CronJob> {
  if (owned.every((job) => isJobFinished(job) || isListed(cached, job.metadata?.uid))) return cached;
  const { namespace, name = "", uid } = cached.metadata ?? {};
  const fresh = await client.resource(cronJobs).get({ namespace, name }, { signal });
  return fresh.metadata?.uid === uid ? fresh : cached;
}

async function absentJobs(ctx: ReconcileContext<CronJob>, { status }: CronJob, owned: readonly Job[]): Promise<AbsentJob[]> {
  const known = new Set(owned.map(({ metadata }) => metadata?.uid));
  const absent: AbsentJob[] = [];
  for (const { namespace, name, uid } of status?.active ?? []) {
    if (known.has(uid) || name === undefined || uid === undefined) continue;
    if ((await readJob(ctx, { namespace, name })) === undefined) absent.push({ name, uid });
  }
  return absent;
}

/** From the server: the cache may be behind. */
export function readJob(
  { client, signal }: ReconcileContext<CronJob>,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): Promise<Job | undefined> {
  const ref = { ...(namespace === undefined ? {} : { namespace }), name };
  return unlessNotFound(client.resource(jobs).get(ref, { signal }), jobs, name);
}
