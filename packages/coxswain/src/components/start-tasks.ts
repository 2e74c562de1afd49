/** Tasks as a component of the process of the API server. */
import type { ApiServer } from "@coxswain/apiserver";
import { controllerManager, type Task } from "@coxswain/client";
import type { Component, InProcessComponent } from "./start-component.ts";
import { type ComponentDependencies, startInProcess } from "./start-in-process.ts";

/** A task that says when it has done what it is for, and whether it still does. */
export interface ObservedTask extends Task {
  readonly ready: Promise<void>;
  healthy(): boolean;
}

export interface TasksComponent extends Omit<Component, "manager"> {
  /** Called again at each restart. */
  tasks(): readonly ObservedTask[];
  /** What is removed when it ends in order. */
  readonly remove?: (() => Promise<void>) | undefined;
}

/** It runs until it is disposed of. */
export function startTasks(
  server: Pick<ApiServer, "handle">,
  { tasks: make, remove, ...rest }: TasksComponent,
  dependencies: ComponentDependencies,
): InProcessComponent {
  const component = startInProcess(
    server,
    {
      ...rest,
      manager: (client, metrics) => {
        const tasks = make();
        const manager = controllerManager(tasks, { client, log: dependencies.log, metrics, component: rest.agent });
        return {
          ready: Promise.all(tasks.map(({ ready }) => ready)).then(() => undefined),
          healthy: () => ({ ok: tasks.every((task) => task.healthy()) && manager.healthy().ok }),
          run: (signal) => manager.run(signal),
        };
      },
    },
    dependencies,
  );
  return {
    ...component,
    [Symbol.asyncDispose]: async () => {
      await component[Symbol.asyncDispose]();
      await remove?.();
    },
  };
}
