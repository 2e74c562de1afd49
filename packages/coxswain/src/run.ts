/** The command: options in, a server until a signal ends it. */
import { constants } from "node:os";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { CommanderError } from "commander";
import { pino } from "pino";
import manifest from "../package.json" with { type: "json" };
import { type Options, parseOptions } from "./command.ts";
import { type RunningCluster, startCluster } from "./start.ts";
import { StartError } from "./start-error.ts";

/** Signals that come within this time of the first are the same wish: a terminal and its shell both pass it on. */
const sameSignalMs = 200;

/** Resolves once the server runs; the process ends with a signal. */
export async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === undefined) return;
  const log = createLog(options);
  try {
    const cluster = await startCluster(options, {
      clock: systemClock,
      random: systemRandom,
      log,
      version: manifest.version,
      platform: platformName(),
    });
    stopOnSignal(cluster, log);
    process.stdout.write(welcome(cluster, options));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Operating system and architecture by the names that Go has for them. */
const platformName = (): string => `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;

function readOptions(args: readonly string[]): Options | undefined {
  const print = (text: string): void => void process.stdout.write(text);
  const complain = (text: string): void => void process.stderr.write(text);
  try {
    return parseOptions(args, process.env, manifest.version, { print, complain });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode;
    return undefined;
  }
}

/** Lines of JSON on standard error. */
function createLog({ logLevel }: Options): pino.Logger {
  const settings: pino.LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    serializers: { error: pino.stdSerializers.err },
  };
  return pino(settings, pino.destination({ dest: 2, sync: true }));
}

/** The first signal ends everything in order, a second one at once. */
function stopOnSignal(cluster: RunningCluster, log: pino.Logger): void {
  let since: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (systemClock.monotonic() - since > sameSignalMs) process.exit(128 + constants.signals[signal]);
      return;
    }
    since = systemClock.monotonic();
    log.info({ signal }, "stopping");
    cluster.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, "could not stop in order");
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
}

const welcome = ({ server, kubeconfig }: RunningCluster, { dataDir }: Options): string => `
coxswain ${manifest.version} at ${server}, state ${dataDir === undefined ? "in memory" : `in ${dataDir}`}

  export KUBECONFIG=${/^[\w./-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", "'\\''")}'`}
  kubectl api-resources
  kubectl create configmap hello --from-literal=greeting=ahoy
  kubectl get configmaps --watch

`;
