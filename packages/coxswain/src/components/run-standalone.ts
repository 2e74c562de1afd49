/** A component in a process of its own, until a signal ends it or it fails. */
import { hostname } from "node:os";
import {
  type Client,
  type ClusterAccess,
  type ControllerManager,
  chooseAccess,
  createClient,
  KubeconfigError,
  LeadershipLostError,
  limitRate,
  type ManagerOptions,
  type Transport,
} from "@coxswain/client";
import { loadKubeconfig, type ReloadAccess, transportOf } from "@coxswain/client/node";
import { systemClock, systemRandom } from "@coxswain/machinery";
import type { pino } from "pino";
import type { ApiRate, LeaderElectionFlags, StandaloneOptions } from "../options/standalone-options.ts";
import { createLog } from "../process/log.ts";
import { StartError } from "../process/start-error.ts";
import { stopOnRequest } from "../process/stop-on-request.ts";
import { serveMetrics } from "./serve-metrics.ts";

/** `make` throws StartError for what the user can put right. */
export async function runStandalone(
  options: StandaloneOptions,
  name: string,
  make: (log: pino.Logger) => ControllerManager | Promise<ControllerManager>,
): Promise<void> {
  const log = createLog(options);
  try {
    await runUntilStopped(await make(log), options, log);
  } catch (error) {
    if (error instanceof StartError) process.stderr.write(`coxswain: ${error.message}\n`);
    else log.error({ component: name, error }, error instanceof LeadershipLostError ? "leadership lost" : "failed to run the component");
    // A process that has lost its leadership ends, as Kubernetes' own do: whoever runs it starts another.
    process.exit(1);
  }
}

async function runUntilStopped(
  manager: ControllerManager,
  { metricsPort, metricsHost }: StandaloneOptions,
  log: pino.Logger,
): Promise<void> {
  const metrics = metricsPort === undefined ? undefined : await serveMetrics(manager, metricsPort, metricsHost);
  if (metrics !== undefined) log.info({ port: metrics.port }, "serving metrics");
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  manager.ready.then(
    () => log.info({}, "caches synced"),
    () => undefined,
  );
  stopOnRequest(
    async () => {
      stop.abort(new Error("a signal ends the process"));
      await ended.catch((error: unknown) => {
        if (error !== stop.signal.reason) throw error;
      });
    },
    { log },
  );
  await ended.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

type Connection = Pick<StandaloneOptions, "kubeconfig" | "context">;

/** @throws StartError */
export async function connect(options: Connection & Pick<StandaloneOptions, "apiRate">, fieldManager: string): Promise<Client> {
  const client = clientOf(await accessOf(options), fieldManager, () => accessOf(options));
  return client.with({ transport: limitedTransport(client.transport, options.apiRate) });
}

/** Leases of leaders are renewed beside, as Kubernetes' components do that with a client of its own. */
export const limitedTransport = (transport: Transport, rate: ApiRate | undefined): Transport =>
  rate === undefined
    ? transport
    : limitRate(transport, { ...rate, clock: systemClock, isExempt: ({ path }) => path.startsWith(leasesPath) });

const leasesPath = "/apis/coordination.k8s.io/";

/** @param reload says what stands in the kubeconfig now: its certificates may be renewed while the component runs */
export const clientOf = (access: ClusterAccess, fieldManager: string, reload?: ReloadAccess): Client =>
  createClient({
    transport: transportOf(access, reload === undefined ? {} : { reload }),
    clock: systemClock,
    random: systemRandom,
    fieldManager,
    omitsManagedFields: true,
  });

/** The cluster and the user that the options choose. @throws StartError */
export async function accessOf({ kubeconfig, context }: Connection): Promise<ClusterAccess> {
  try {
    const loaded = await loadKubeconfig(kubeconfig === undefined ? {} : { paths: [kubeconfig] });
    return chooseAccess(loaded, context === undefined ? {} : { context });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** One of several that compete; each process goes by a name of its own. */
export function leaderElectionOf(flags: LeaderElectionFlags | undefined, log: pino.Logger): Pick<ManagerOptions, "leaderElection"> {
  if (flags === undefined) return {};
  const callbacks = {
    onNewLeader: (leader: string) => log.info({ leader }, "new leader"),
    onError: (error: unknown) => log.warn({ error }, "failed to acquire or renew leadership"),
  };
  return { leaderElection: { ...flags, identity: `${hostname()}_${systemRandom.uuid()}`, ...callbacks } };
}
