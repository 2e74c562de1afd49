import type { ApiServer, Metrics } from "@coxswain/apiserver";
import type { Client, MetricsRegistry } from "@coxswain/client";
import type { PodExplanation, Scheduler, SchedulerConfig } from "@coxswain/scheduler";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";

export interface ChosenScheduler extends ComponentDependencies {
  /** As `loadSchedulerConfig` gives it; undefined is Kubernetes' default. */
  readonly config: SchedulerConfig | undefined;
  /** Whether it works only while no other server's does. */
  readonly isElected: boolean;
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export interface BackgroundScheduler extends BackgroundComponent {
  /** Why a Pod is where it is; undefined when nothing is known of it, or the scheduler does not run yet. */
  explain(namespace: string, name: string): PodExplanation | undefined;
}

/** The scheduler beside the API server. */
export function startSchedulerInBackground(
  server: Pick<ApiServer, "handle">,
  { config, isElected, ...options }: ChosenScheduler,
): BackgroundScheduler {
  let scheduler: Scheduler | undefined;
  const start = async () => {
    const [{ resolveScheduler }, { startInProcess }, { manageScheduler, schedulerAgent }, { electionFor }] = await Promise.all([
      import("@coxswain/scheduler"),
      import("../components/start-in-process.ts"),
      import("./managed-scheduler.ts"),
      import("../components/elected.ts"),
    ]);
    const chosen = config ?? resolveScheduler();
    const component = {
      name: "scheduler",
      agent: schedulerAgent,
      manager: (client: Client, metrics: MetricsRegistry) => {
        const { random, log } = options;
        const made = manageScheduler(chosen, { client, log, metrics, ...electionFor(schedulerAgent, { isElected, random, log }) });
        scheduler = made.scheduler;
        return made.manager;
      },
    };
    return startInProcess(server, component, options);
  };
  return {
    ...startInBackground(start, { name: "scheduler", ...options }),
    explain: (namespace, name) => scheduler?.explain(namespace, name),
  };
}
