/** The command: options in, a server until a signal ends it. */
import { systemClock, systemRandom } from "@coxswain/machinery";
import manifest from "../../package.json" with { type: "json" };
import { startCluster } from "../cluster/start-cluster.ts";
import { parseOptions } from "../options/cluster-options.ts";
import { createLog, parseCommandLine, platformName } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { stopOnRequest } from "../process/stop-on-request.ts";
import { startMessage } from "./start-message.ts";

/** Resolves once the server runs; the process ends with a signal. */
export async function run(args: readonly string[]): Promise<void> {
  if (args[0] === "kubelet") return await (await import("./run-kubelet.ts")).runKubeletCommand(args.slice(1));
  if (args[0] === "scheduler") return await (await import("./run-scheduler.ts")).runSchedulerCommand(args.slice(1));
  if (args[0] === "controllers") return await (await import("./run-controllers.ts")).runControllersCommand(args.slice(1));
  if (args[0] === "healthz") return await (await import("./check-health.ts")).runHealthCommand(args.slice(1));
  if (args[0] === "kubeconfig") return await (await import("./print-kubeconfig.ts")).runKubeconfigCommand(args.slice(1));
  const options = parseCommandLine((output) => parseOptions(args, process.env, manifest.version, output));
  if (options === undefined) return;
  const log = createLog(options);
  const starting = startCluster(options, {
    clock: systemClock,
    random: systemRandom,
    log,
    version: manifest.version,
    platform: platformName(),
  });
  // From now on, so that nothing is left behind by a start that is not wanted any more.
  const stop = stopOnRequest(() => starting.then((cluster) => cluster.close()), { log, onStdinClose: options.stopOnStdinClose });
  try {
    const cluster = await starting;
    if (!stop.isRequested()) process.stdout.write(startMessage({ ...cluster, version: manifest.version, pid: process.pid }, options));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exit(1);
  }
}
