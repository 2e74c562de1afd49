import { jobs, pods, type ReconcileContext } from "@coxswain/client";
import { claim } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import { trackingFinalizer } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import type { JobMemory } from "./memory.ts";
import { type JobObservation, observeJob } from "./observe-job.ts";
import { selectorOf } from "./selector.ts";

/** Claims the Pods of the Job, and counts them. */
export async function observe(key: string, ctx: ReconcileContext<Job>, job: Job, memory: JobMemory): Promise<JobObservation> {
  const { client, signal } = ctx;
  const candidates = ownedAndOrphans(ctx, pods);
  const claims = { client, ref: pods, owner: job, ownerRef: jobs, selector: selectorOf(job), candidates, finalizers: [trackingFinalizer] };
  return observeJob(job, await claim({ ...claims, signal }), memory.failuresOf(key, job));
}
