import { controller, cronJobs, jobs } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import type { CronJob } from "./cron-job-status.ts";
import { reconcileCronJob } from "./reconcile.ts";

/** Starts a Job whenever a CronJob's schedule is due. */
export const cronJobController: BuiltInController = {
  name: "cronjob-controller",
  aliases: ["cronjob"],
  make: () => {
    /** The schedule that each was looked at with last. */
    const seen = new Map<string, string>();
    return [
      controller<CronJob>({
        name: "cronjob-controller",
        component: "cronjob-controller",
        for: cronJobs,
        owns: [jobs],
        concurrency: 5,
        reconcile: ({ namespace, name }, ctx) => reconcileCronJob(`${namespace}/${name}`, ctx, seen),
      }),
    ];
  },
};
