/** `coxswain controllers`: the controllers in a process of their own, until a signal ends it or they fail. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type ControllerManager, KubeconfigError, LeadershipLostError } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { type ControllerSettings, chooseControllers, manageControllers, managerName, UnknownControllerError } from "@coxswain/controllers";
import { systemRandom } from "@coxswain/machinery";
import type { pino } from "pino";
import { createLog, stopOnSignal, understood } from "../process.ts";
import { StartError, startErrorOf } from "../start-error.ts";
import { type ControllersOptions, parseControllersOptions } from "./command.ts";
import { serveMetrics } from "./serve-metrics.ts";

export async function runControllersCommand(args: readonly string[]): Promise<void> {
  const options = understood((output) => parseControllersOptions(args, output));
  if (options === undefined) return;
  const log = createLog(options);
  try {
    await runUntilStopped(options, log);
  } catch (error) {
    if (error instanceof StartError) process.stderr.write(`coxswain: ${error.message}\n`);
    else log.error({ error }, error instanceof LeadershipLostError ? "leadership lost" : "the controllers failed");
    // A process that has lost its leadership ends, as kube-controller-manager does: whoever runs it starts another.
    process.exit(1);
  }
}

async function runUntilStopped(options: ControllersOptions, log: pino.Logger): Promise<void> {
  const manager = await managerOf(options, log);
  const metrics = options.metricsPort === undefined ? undefined : await serveMetrics(manager, options.metricsPort);
  if (metrics !== undefined) log.info({ port: metrics.port }, "serving metrics");
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  manager.ready.then(
    () => log.info({}, "the caches are filled"),
    () => undefined,
  );
  stopOnSignal(async () => {
    stop.abort(new Error("a signal ends the process"));
    await ended.catch((error: unknown) => {
      if (error !== stop.signal.reason) throw error;
    });
  }, log);
  await ended.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

async function managerOf(options: ControllersOptions, log: pino.Logger): Promise<ControllerManager> {
  const { kubeconfig, context, leaderElection } = options;
  try {
    const chosen = chooseControllers(options.controllers);
    const client = await clientFromKubeconfig({
      fieldManager: managerName,
      ...(kubeconfig === undefined ? {} : { paths: [kubeconfig] }),
      ...(context === undefined ? {} : { context }),
    });
    return manageControllers(chosen, {
      client,
      settings: settingsOf(options),
      log,
      ...(leaderElection === undefined
        ? {}
        : { leaderElection: { ...leaderElection, identity: `${hostname()}_${systemRandom.uuid()}`, ...told(log) } }),
    });
  } catch (error) {
    if (error instanceof UnknownControllerError || error instanceof KubeconfigError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

const told = (log: pino.Logger) => ({
  onNewLeader: (leader: string) => log.info({ leader }, "there is a new leader"),
  onError: (error: unknown) => log.warn({ error }, "an attempt to lead failed"),
});

/** @throws StartError */
const settingsOf = ({ rootCaFile }: ControllersOptions): ControllerSettings =>
  rootCaFile === undefined ? {} : { rootCa: read(rootCaFile) };

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf("cannot read the certificates", error);
  }
}
