/** What runs beside the API server, found out before anything is started: what makes no sense is said at once. */
import type { SchedulerConfig } from "@coxswain/scheduler";
import { checkControllers } from "../controllers/start-in-background.ts";
import { type ChosenRuntime, chooseRuntime } from "../nodes/choose-runtime.ts";
import type { Options } from "../options/cluster-options.ts";

export interface ChosenComponents {
  readonly controllers: readonly string[];
  /** Undefined: there is none; without `config`, Kubernetes' default. */
  readonly scheduler: { readonly config: SchedulerConfig | undefined } | undefined;
  /** Undefined: no node. */
  readonly runtime: ChosenRuntime | undefined;
}

/** @throws StartError */
export async function chooseComponents({ controllers, scheduler, schedulerConfig, node }: Options): Promise<ChosenComponents> {
  await checkControllers(controllers);
  return {
    controllers,
    scheduler: scheduler ? { config: await configOf(schedulerConfig) } : undefined,
    runtime: node === undefined ? undefined : await chooseRuntime(node),
  };
}

async function configOf(file: string | undefined): Promise<SchedulerConfig | undefined> {
  if (file === undefined) return undefined;
  const { loadSchedulerConfig } = await import("../scheduler/load-config.ts");
  return await loadSchedulerConfig(file);
}
