/** Brings built-in controllers to run together. */
import { type Client, type Controller, type ControllerManager, controllerManager, type ManagerOptions, type Task } from "@coxswain/client";
import type { BuiltInController, ControllerSettings } from "../contracts/built-in-controller.ts";

/** Who writes, in managed fields and User-Agent: as where Kubernetes' own run. */
export const managerName = "kube-controller-manager";

export interface BuiltInManagerOptions extends ManagerOptions {
  readonly settings: ControllerSettings;
}

export function manageControllers(
  chosen: readonly BuiltInController[],
  { settings, ...options }: BuiltInManagerOptions,
): ControllerManager {
  return controllerManager(builtInTasks(chosen, options.client, settings), { component: managerName, ...options });
}

/** What a manager of one's own runs them by. */
export const builtInTasks = (
  chosen: readonly BuiltInController[],
  client: Client,
  settings: ControllerSettings,
): readonly (Controller | Task)[] => chosen.flatMap((one) => made(one, client, settings));

/** In Events a controller that does not say otherwise goes by the name that `--controllers` knows. */
const made = ({ name, make }: BuiltInController, client: Client, settings: ControllerSettings): readonly (Controller | Task)[] =>
  make({ client, settings }).map((one) => ("reconcile" in one && one.component === undefined ? { ...one, component: name } : one));
