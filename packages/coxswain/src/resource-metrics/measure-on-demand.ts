import type { ApiServer, Log, ResourceMetrics } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, type RandomSource } from "@coxswain/machinery";
import { metricsServiceAccount } from "../access/own-roles.ts";
import { reportRefusals } from "../components/report-refusals.ts";
import { type InProcessCallers, systemServiceAccount } from "../in-process/in-process-callers.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import type { NodeMeasurements } from "./measure-nodes.ts";

export interface MeasureOnDemandOptions {
  readonly callers: InProcessCallers;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

const user = systemServiceAccount(metricsServiceAccount);

/** Nothing is loaded before the first request. @param server by then, the one that passes requests on to kubelets */
export function measureOnDemand(
  server: () => Pick<ApiServer, "handle">,
  { callers, clock, random, log }: MeasureOnDemandOptions,
): ResourceMetrics & AsyncDisposable {
  let started: Promise<NodeMeasurements> | undefined;
  const owned = new AsyncDisposableStack();
  const start = async (): Promise<NodeMeasurements> => {
    const [{ measureNodes }, { createClient }] = await Promise.all([import("./measure-nodes.ts"), import("@coxswain/client")]);
    const client = owned.use(
      createClient({ transport: reportRefusals(inProcessTransport(server(), { user, callers }), { user: user.name, log }), clock, random }),
    );
    return owned.use(measureNodes({ client, clock, log }));
  };
  const measurements = (): Promise<NodeMeasurements> => {
    started ??= start();
    return started;
  };
  return {
    nodes: async () => (await measurements()).nodes(),
    pods: async () => (await measurements()).pods(),
    async [Symbol.asyncDispose]() {
      await started;
      await owned.disposeAsync();
    },
  };
}
