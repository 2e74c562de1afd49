/** Brings built-in controllers to run together. */
import { type Client, type Controller, type ControllerManager, controllerManager, type ManagerOptions, type Task } from "@coxswain/client";
import type { BuiltInController, ControllerSettings } from "../contracts/built-in-controller.ts";

/** The name under which the controllers write, in managed fields and User-Agent: kube-controller-manager's. */
export const managerName = "kube-controller-manager";

/** BuiltInManagerOptions are those of a controller manager, and the settings of the built-in controllers. */
export interface BuiltInManagerOptions extends ManagerOptions {
  readonly settings: ControllerSettings;
}

/** Makes a manager that runs the chosen controllers: one set of caches, one leader election, one health. */
export function manageControllers(
  chosen: readonly BuiltInController[],
  { settings, ...options }: BuiltInManagerOptions,
): ControllerManager {
  return controllerManager(builtInTasks(chosen, options.client, settings), { component: managerName, ...options });
}

/** Makes the controllers and tasks of the chosen built-in controllers, for a manager of one's own. */
export const builtInTasks = (
  chosen: readonly BuiltInController[],
  client: Client,
  settings: ControllerSettings,
): readonly (Controller | Task)[] => chosen.flatMap((one) => made(one, client, settings));

/** In Events a controller that does not say otherwise goes by the name that `--controllers` knows. */
const made = (
  { name, serviceAccount, make }: BuiltInController,
  client: Client,
  settings: ControllerSettings,
): readonly (Controller | Task)[] =>
  make({ client, settings }).map((one) => {
    if (!("reconcile" in one) && serviceAccount === undefined) return one;
    const component = "reconcile" in one ? (one.component ?? name) : one.component;
    return { ...one, ...(serviceAccount === undefined ? {} : { serviceAccount }), ...(component === undefined ? {} : { component }) };
  });
