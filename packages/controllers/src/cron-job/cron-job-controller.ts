import { controller, cronJobs, done, jobs, type Outcome, type ReconcileContext, requeue } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { act, cleanUp } from "./act.ts";
import type { CronJob } from "./cron-job-status.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { ScheduleMemory } from "./schedule-memory.ts";

/**
 * The cronjob-controller starts a Job whenever a CronJob's schedule is due.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 */
export const cronJobController: BuiltInController = {
  name: "cronjob-controller",
  serviceAccount: "cronjob-controller",
  aliases: ["cronjob"],
  make: () => {
    const memory = new ScheduleMemory();
    return [
      controller<CronJob>({
        name: "cronjob-controller",
        component: "cronjob-controller",
        for: cronJobs,
        owns: [jobs],
        concurrency: 5,
        reconcile: ({ namespace, name }, ctx) => reconcile(`${namespace}/${name}`, ctx, memory),
      }),
    ];
  },
};

async function reconcile(key: string, ctx: ReconcileContext<CronJob>, memory: ScheduleMemory): Promise<Outcome> {
  const { object: cronJob, client } = ctx;
  if (cronJob === undefined) {
    memory.forget(key);
    return done;
  }
  const waitMs = memory.waitAfterChangeMs(key, cronJob, client.clock.now());
  if (waitMs !== undefined) return requeue(waitMs);
  const observed = await cleanUp(ctx, await observe(ctx, cronJob));
  return await act(ctx, observed, plan(observed));
}
