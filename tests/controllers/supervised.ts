/** Controllers as they run in a Pod: when they give up, they are started anew. */
import { type Client, runControllers, sleep } from "@coxswain/client";
import type { BuiltInController, ControllerSettings } from "@coxswain/controllers";

export interface Supervised {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly settings?: ControllerSettings;
}

export function supervised(controllers: readonly BuiltInController[], { client, signal, settings = {} }: Supervised): AsyncDisposable {
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  const run = async () => {
    while (!end.aborted) {
      const made = controllers.flatMap((one) => one.make({ client, settings }));
      await runControllers(made, { client, signal: end }).catch(() => sleep(client.clock, 10_000, end));
    }
  };
  const running = run().catch(() => undefined);
  return {
    [Symbol.asyncDispose]: () => {
      stop.abort(new Error("the scenario is over"));
      return running;
    },
  };
}
