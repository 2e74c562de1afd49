/** Controllers with the lifetime of a block, as tests and scripts want them. */
import type { Controller } from "./controller.ts";
import { type ControllerManager, controllerManager, type ManagerOptions } from "./manager.ts";
import type { Task } from "./task.ts";

/** Controllers that run until they are disposed. */
export interface RunningControllers extends Omit<ControllerManager, "run">, AsyncDisposable {
  /** Settles when they have ended, by being disposed or otherwise. */
  readonly ended: Promise<void>;
  /** Stops them and waits until all that ran has ended. @throws whatever they have failed with */
  [Symbol.asyncDispose](): Promise<void>;
}

/** `await using controllers = startControllers([…], { client })`. */
export function startControllers(controllers: readonly (Controller | Task)[], options: ManagerOptions): RunningControllers {
  const manager = controllerManager(controllers, options);
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  // A rejection is thrown by the disposal.
  ended.catch(() => undefined);
  return {
    ready: manager.ready,
    metrics: manager.metrics,
    healthy: () => manager.healthy(),
    ended,
    [Symbol.asyncDispose]: () => {
      stop.abort(new Error("the controllers are stopped"));
      return ended;
    },
  };
}
