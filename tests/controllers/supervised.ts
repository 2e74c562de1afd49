/** Controllers as they run in a Pod: when they give up, or their process dies, they are restarted, without their memory. */
import { type Client, runControllers, sleep } from "@coxswain/client";
import type { BuiltInController, ControllerSettings } from "@coxswain/controllers";
import { Process } from "../robustness/convergence/fault-choice.ts";
import { faultChoice } from "./fault-choice.ts";

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
      const process = new Process("controllers", faultChoice, client.clock);
      const own = client.with({ transport: process.transport(client.transport) });
      const made = controllers.flatMap((one) => one.make({ client: own, settings }));
      await runControllers(made, { client: own, signal: AbortSignal.any([end, process.dead]) }).catch(() => undefined);
      await sleep(client.clock, 10_000, end);
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
