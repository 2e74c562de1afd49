/** Lets go of Pods that no Job counts any more: the Job has finished or is gone, or has lost them. */
import { controllerOf, done, jobs, type Outcome, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import type { OwnerReference } from "@coxswain/machinery";
import { isJobFinished } from "../shared/jobs/job-conditions.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { releasePod } from "./act-on-pods.ts";
import { isTracked } from "./job-pods.ts";
import { isManagedElsewhere, type Job } from "./job-settings.ts";

export async function reconcileOrphanPod(ctx: ReconcileContext<Pod>): Promise<Outcome> {
  const { object: pod } = ctx;
  if (pod === undefined || !isTracked(pod)) return done;
  const owner = controllerOf(pod);
  if (owner !== undefined && (owner.kind !== jobs.kind || owner.apiVersion !== "batch/v1")) return done;
  const job = owner === undefined ? undefined : await jobOf(ctx, pod, owner);
  if (job !== undefined && (isManagedElsewhere(job) || !isJobFinished(job))) return done;
  await releasePod(ctx, pod);
  return done;
}

/** The cache may not know a Job yet that is there: whatever it does not know is asked for. */
async function jobOf({ cache, client, signal }: ReconcileContext<Pod>, { metadata }: Pod, owner: OwnerReference): Promise<Job | undefined> {
  const ref = { namespace: metadata?.namespace, name: owner.name };
  const isOwner = (job: Job | undefined): boolean => job?.metadata?.uid === owner.uid;
  const cached = cache(jobs).get(ref);
  if (isOwner(cached)) return cached;
  const job = await unlessNotFound(client.resource(jobs).get(ref, { signal }), jobs, owner.name);
  return isOwner(job) ? job : undefined;
}
