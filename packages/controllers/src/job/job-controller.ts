import { byControllerIndex, controller, exponentialBackoff, jobs, type ObjectRef, pods, watching } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { isJobFinished } from "../shared/jobs/job-conditions.ts";
import { adoptable } from "../shared/pods/orphans.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { isTracked } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import { JobMemory } from "./memory.ts";
import { reconcileOrphanPod } from "./orphan-pods.ts";
import { reconcileJob } from "./reconcile.ts";
import { selectorOf } from "./selector.ts";

const component = "job-controller";

const rateLimiter = () => exponentialBackoff({ baseMs: 1_000, maxMs: 60_000 });

/** Runs Pods until as many have succeeded as a Job asks for. */
export const jobController: BuiltInController = {
  name: "job-controller",
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
        reconcile: ({ namespace, name }, ctx) => reconcileJob(`${namespace}/${name}`, ctx, memory),
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

const podsOf = ({ metadata }: Job, lister: { byIndex(name: string, value: string): Pod[] }): ObjectRef[] =>
  lister
    .byIndex(byControllerIndex, metadata?.uid ?? "")
    .filter(isTracked)
    .map((pod) => ({ namespace: pod.metadata?.namespace, name: pod.metadata?.name ?? "" }));
