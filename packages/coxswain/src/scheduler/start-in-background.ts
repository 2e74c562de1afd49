import type { Metrics } from "@coxswain/apiserver";
import type { PodExplanation } from "@coxswain/scheduler";
import type { Connect } from "../components/start-component.ts";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ChosenScheduler, RunningScheduler } from "./start-scheduler.ts";

export interface SchedulerInBackground extends ChosenScheduler {
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export interface BackgroundScheduler extends BackgroundComponent {
  /** Why a Pod is where it is; undefined when nothing is known of it, or the scheduler does not run yet. */
  explain(namespace: string, name: string): Promise<PodExplanation | undefined>;
}

/** The scheduler beside the API server. */
export function startSchedulerInBackground(connect: Connect, { metrics, ...scheduler }: SchedulerInBackground): BackgroundScheduler {
  const { clock, log } = scheduler;
  let started: RunningScheduler | undefined;
  const start = async () => {
    const { startScheduler } = await import("./start-scheduler.ts");
    started = startScheduler(connect, scheduler);
    return started;
  };
  return {
    ...startInBackground(start, { name: "scheduler", metrics, clock, log }),
    explain: async (namespace, name) => started?.explain(namespace, name),
  };
}
