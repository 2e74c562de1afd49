/** The scheduler as a component beside the API server. */
import { type PodExplanation, resolveScheduler, type Scheduler, type SchedulerConfig } from "@coxswain/scheduler";
import { electionFor } from "../components/elected.ts";
import {
  type Component,
  type Connect,
  type InProcessComponent,
  type SystemDependencies,
  startComponent,
} from "../components/start-component.ts";
import { manageScheduler, schedulerAgent } from "./managed-scheduler.ts";

export interface ChosenScheduler extends SystemDependencies {
  /** As `loadSchedulerConfig` gives it; undefined is Kubernetes' default. */
  readonly config: SchedulerConfig | undefined;
  /** Whether it works only while no other server's does. */
  readonly isElected: boolean;
}

export interface RunningScheduler extends InProcessComponent {
  /** Why a Pod is where it is; undefined when nothing is known of it. */
  explain(namespace: string, name: string): PodExplanation | undefined;
}

export function startScheduler(
  connect: Connect,
  { config = resolveScheduler(), isElected, ...dependencies }: ChosenScheduler,
): RunningScheduler {
  const { random, log, informers } = dependencies;
  let scheduler: Scheduler | undefined;
  const component: Component = {
    name: "scheduler",
    agent: schedulerAgent,
    manager: (client, metrics) => {
      const made = manageScheduler(config, { client, log, metrics, informers, ...electionFor(schedulerAgent, { isElected, random, log }) });
      scheduler = made.scheduler;
      return made.manager;
    },
  };
  return {
    ...startComponent(connect, component, dependencies),
    explain: (namespace, name) => scheduler?.explain(namespace, name),
  };
}
