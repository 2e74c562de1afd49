import type { ApiServer, Metrics } from "@coxswain/apiserver";
import type { Client, MetricsRegistry } from "@coxswain/client";
import type { PodExplanation, Scheduler, SchedulerConfig } from "@coxswain/scheduler";
import { type StartedSoon, startSoon } from "../components/start-in-background.ts";
import type { Surroundings } from "../components/start-in-process.ts";

export interface ChosenScheduler extends Surroundings {
  /** As `loadSchedulerConfig` gives it; undefined is Kubernetes' default. */
  readonly config: SchedulerConfig | undefined;
  /** Where its figures are told. */
  readonly metrics: Metrics;
}

export interface SchedulerSoon extends StartedSoon {
  /** Why a Pod is where it is; undefined when nothing is known of it, or the scheduler does not run yet. */
  explain(namespace: string, name: string): PodExplanation | undefined;
}

/** The scheduler beside the API server. */
export function startSchedulerSoon(server: Pick<ApiServer, "handle">, { config, ...options }: ChosenScheduler): SchedulerSoon {
  let scheduler: Scheduler | undefined;
  const start = async () => {
    const [{ resolveScheduler }, { startInProcess }, { manageScheduler, schedulerAgent }] = await Promise.all([
      import("@coxswain/scheduler"),
      import("../components/start-in-process.ts"),
      import("./managed-scheduler.ts"),
    ]);
    const chosen = config ?? resolveScheduler();
    const component = {
      name: "scheduler",
      agent: schedulerAgent,
      manager: (client: Client, metrics: MetricsRegistry) => {
        const made = manageScheduler(chosen, { client, log: options.log, metrics });
        scheduler = made.scheduler;
        return made.manager;
      },
    };
    return startInProcess(server, component, options);
  };
  return { ...startSoon(start, { name: "scheduler", ...options }), explain: (namespace, name) => scheduler?.explain(namespace, name) };
}
