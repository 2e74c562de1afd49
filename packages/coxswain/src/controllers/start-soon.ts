/** Lets the server answer first: what the controllers need is loaded after it is up. */
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import { StartError } from "../start-error.ts";
import type { InProcessControllers, InProcessControllersOptions } from "./in-process.ts";

export interface ChosenControllers extends Omit<InProcessControllersOptions, "chosen"> {
  /** As `--controllers` has it, and known to make sense. */
  readonly choice: readonly string[];
  /** Where their figures are told. */
  readonly metrics: Metrics;
}

/** Disposing it stops them, whether they run yet or not. */
export interface StartedSoon extends AsyncDisposable {
  /** Whether they run, and their copies of what they watch are up to date. */
  healthy(): boolean;
}

/** Long enough for the first clients, who wait for the server; too short to be waited for. Milliseconds. */
const headStartMs = 50;

export function startControllersSoon(server: Pick<ApiServer, "handle">, { choice, metrics, ...options }: ChosenControllers): StartedSoon {
  const { clock, log } = options;
  let started: InProcessControllers | undefined;
  let starting: Promise<InProcessControllers | undefined> = Promise.resolve(undefined);
  using stack = new DisposableStack();
  const start = async (): Promise<InProcessControllers> => {
    const [{ chooseControllers }, { startInProcess }] = await Promise.all([import("@coxswain/controllers"), import("./in-process.ts")]);
    const running = startInProcess(server, { ...options, chosen: chooseControllers(choice) });
    owned.use(metrics.include(() => running.metrics()));
    started = running;
    return running;
  };
  stack.use(
    clock.schedule(headStartMs, () => {
      starting = start();
      starting.catch((error: unknown) => log.error({ error }, "the controllers cannot be started"));
    }),
  );
  const owned = stack.move();
  return {
    healthy: () => started?.healthy() === true,
    [Symbol.asyncDispose]: async () => {
      owned.dispose();
      const running = await starting.catch(() => undefined);
      await running?.[Symbol.asyncDispose]();
    },
  };
}

/** @throws StartError for names that no controller has */
export async function checkControllers(choice: readonly string[]): Promise<void> {
  // What everybody has is not looked up before the server is up.
  if (choice.every((word) => word === "*")) return;
  const { chooseControllers, UnknownControllerError } = await import("@coxswain/controllers");
  try {
    chooseControllers(choice);
  } catch (error) {
    throw error instanceof UnknownControllerError ? new StartError(error.message, { cause: error }) : error;
  }
}
