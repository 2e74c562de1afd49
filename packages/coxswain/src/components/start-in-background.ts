/** Lets the server answer first: what a component needs is loaded after it is up. */
import type { Log, Metrics } from "@coxswain/apiserver";
import { type Clock, DisposableStack } from "@coxswain/machinery";
import type { InProcessComponent } from "./start-component.ts";

export interface BackgroundOptions {
  /** In logs. */
  readonly name: string;
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing it stops the component, whether it runs yet or not. */
export interface BackgroundComponent extends AsyncDisposable {
  /** Whether it runs, and its copies of what it watches are up to date. */
  healthy(): boolean | Promise<boolean>;
}

/** Long enough for the first clients, who wait for the server; too short to be waited for. Milliseconds. */
const startDelayMs = 50;

export function startInBackground(
  start: () => Promise<InProcessComponent>,
  { name, metrics, clock, log }: BackgroundOptions,
): BackgroundComponent {
  let started: InProcessComponent | undefined;
  let starting: Promise<InProcessComponent | undefined> = Promise.resolve(undefined);
  using stack = new DisposableStack();
  const begin = async (): Promise<InProcessComponent> => {
    const running = await start();
    owned.use(metrics.include(() => running.metrics()));
    started = running;
    return running;
  };
  stack.use(
    clock.schedule(startDelayMs, () => {
      starting = begin();
      starting.catch((error: unknown) => log.error({ component: name, error }, "failed to start the component"));
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
