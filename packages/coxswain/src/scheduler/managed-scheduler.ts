/** A scheduler as its configuration wants it, and what runs it. */
import { hostname } from "node:os";
import { type Client, type ControllerLog, type ControllerManager, controllerManager, type ManagerOptions } from "@coxswain/client";
import { createScheduler, httpExtender, type Scheduler, type SchedulerConfig } from "@coxswain/scheduler";
import { postTo } from "./extender-connection.ts";

/** Who writes, in managed fields and User-Agent: as where Kubernetes' own runs. */
export const schedulerAgent = "kube-scheduler";

export interface ManagedScheduler {
  readonly scheduler: Scheduler;
  readonly manager: ControllerManager;
}

/** @throws StartError for files of extenders that cannot be read */
export function manageScheduler(
  config: SchedulerConfig,
  { client, log, ...options }: Omit<ManagerOptions, "log" | "client"> & { readonly client: Client; readonly log: ControllerLog },
): ManagedScheduler {
  const { clock } = client;
  const extenders = config.extenders.map((one) => {
    if (!("urlPrefix" in one)) return one;
    const post = postTo(one);
    return httpExtender(one, { clock, ...(post === undefined ? {} : { post }) });
  });
  const scheduler = createScheduler({
    profiles: config.profiles,
    extenders,
    host: hostname(),
    sharedPods: options.informers !== undefined,
    initialBackoffMs: config.podInitialBackoffMs,
    maxBackoffMs: config.podMaxBackoffMs,
  });
  const manager = controllerManager([scheduler], {
    client,
    log,
    component: config.profiles[0]?.schedulerName ?? schedulerAgent,
    ...options,
  });
  return { scheduler, manager };
}
