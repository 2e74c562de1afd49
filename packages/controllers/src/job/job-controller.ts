import {
  byControllerIndex,
  controller,
  done,
  exponentialBackoff,
  jobs,
  type ObjectRef,
  type Outcome,
  pods,
  type ReconcileContext,
  requeue,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { isJobFinished } from "../shared/jobs/job-conditions.ts";
import { adoptable } from "../shared/pods/orphans.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { act } from "./act.ts";
import { isTracked } from "./job-pods.ts";
import { isManagedElsewhere, type Job } from "./job-settings.ts";
import { JobMemory } from "./memory.ts";
import { observe } from "./observe.ts";
import { reconcileOrphanPod } from "./orphan-pods.ts";
import { plan } from "./plan.ts";
import { selectorOf } from "./selector.ts";

const component = "job-controller";

const rateLimiter = () => exponentialBackoff({ baseMs: 1_000, maxMs: 60_000 });

/**
 * The job-controller runs Pods until as many have succeeded as a Job asks for.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
export const jobController: BuiltInController = {
  name: "job-controller",
  serviceAccount: "job-controller",
  aliases: ["job"],
  make: () => {
    const memory = new JobMemory();
    return [
      controller<Job>({
        name: "job-controller",
        component,
        for: jobs,
        owns: [pods],
        watches: [adoptable<Job>(pods, selectorOf)],
        concurrency: 5,
        rateLimiter,
        reconcile: ({ namespace, name }, ctx) => reconcile(`${namespace}/${name}`, ctx, memory),
      }),
      controller<Pod>({
        name: "job-orphan-pod-controller",
        component,
        for: pods,
        predicate: ({ object }) => isTracked(object),
        watches: [
          watching(jobs, (job, change, { cache }) => (change.type === "deleted" || isJobFinished(job) ? podsOf(job, cache(pods)) : [])),
        ],
        concurrency: 5,
        rateLimiter,
        reconcile: (_ref, ctx) => reconcileOrphanPod(ctx),
      }),
    ];
  },
};

async function reconcile(key: string, ctx: ReconcileContext<Job>, memory: JobMemory): Promise<Outcome> {
  const { object: job, client, events } = ctx;
  if (job === undefined || isJobFinished(job)) memory.forget(key);
  if (job === undefined || isJobFinished(job) || isManagedElsewhere(job)) return done;
  const { completionMode = "NonIndexed" } = job.spec ?? {};
  if (completionMode !== "NonIndexed" && completionMode !== "Indexed") {
    const message = "Skipped Job sync because completion mode is unknown";
    events.record(job, { type: "Warning", reason: "UnknownCompletionMode", message }, jobs);
    return done;
  }
  const waitMs = memory.waitMs(key, job, client.clock.now());
  if (waitMs > 0) return requeue(waitMs);
  const nowMs = client.clock.now();
  const seen = await observe(key, ctx, job, memory);
  return await act(key, ctx, { seen, planned: plan(seen, nowMs), nowMs }, memory);
}

const podsOf = ({ metadata }: Job, lister: { byIndex(name: string, value: string): Pod[] }): ObjectRef[] =>
  lister
    .byIndex(byControllerIndex, metadata?.uid ?? "")
    .filter(isTracked)
    .map((pod) => ({ namespace: pod.metadata?.namespace, name: pod.metadata?.name ?? "" }));
