/** Controllers as they run in a Pod: when they give up, or their process dies, they are restarted, without their memory. */
import assert from "node:assert/strict";
import { type Client, runControllers, sleep, type Transport } from "@coxswain/client";
import { type BuiltInController, builtInTasks, type ControllerSettings } from "@coxswain/controllers";
import { Process } from "../robustness/convergence/fault-choice.ts";
import { faultChoice } from "./fault-choice.ts";

export interface Supervised {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly settings?: ControllerSettings;
  /** Who asks where no controller has an account of its own. Default: `system:kube-controller-manager`. */
  readonly user?: string;
}

/** As Kubernetes has them run, each with a service account of its own. It ends with an error if one of them was not allowed something. */
export function supervised(
  controllers: readonly BuiltInController[],
  { client, signal, settings = {}, user: own = "system:kube-controller-manager" }: Supervised,
): AsyncDisposable {
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  const refused = new Set<string>();
  const run = async () => {
    while (!end.aborted) {
      const process = new Process("controllers", faultChoice, client.clock);
      const transport = process.transport(client.transport);
      const as = (user: string) => client.with({ transport: recordingRefusals(impersonating(transport, user), refused) });
      const shared = as(own);
      await runControllers(builtInTasks(controllers, shared, settings), {
        client: shared,
        clientForServiceAccount: (name) => as(`system:serviceaccount:kube-system:${name}`),
        signal: AbortSignal.any([end, process.dead]),
      }).catch(() => undefined);
      await sleep(client.clock, 10_000, end);
    }
  };
  const running = run().catch(() => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the scenario is over"));
      await running;
      assert.deepEqual([...refused], [], "what controllers ask for is allowed by their roles");
    },
  };
}

/** The client's user may do everything, so it may act as another; who acts as a service account is in its groups, too. */
const impersonating = (transport: Transport, user: string): Transport => ({
  send: (request) => transport.send({ ...request, headers: { ...request.headers, "impersonate-user": user } }),
  [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
});

/** Authorization alone speaks of what a user cannot do; quotas and plugins forbid in other words. */
const recordingRefusals = (transport: Transport, refused: Set<string>): Transport => ({
  ...transport,
  send: async (request) => {
    const answer = await transport.send(request);
    if (answer.status !== 403) return answer;
    const bytes = await answer.bytes();
    const { message = "" } = JSON.parse(Buffer.from(bytes).toString()) as { readonly message?: string };
    if (/User "[^"]*" cannot /.test(message)) refused.add(message);
    return { ...answer, bytes: async () => bytes };
  },
});
