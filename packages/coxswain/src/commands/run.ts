/** The command: options in, a server until a signal ends it. */
import { systemClock, systemRandom } from "@coxswain/machinery";
import manifest from "../../package.json" with { type: "json" };
import { type RunningCluster, startCluster } from "../cluster/start-cluster.ts";
import { type Options, parseOptions } from "../options/cluster-options.ts";
import { createLog, parseCommandLine, platformName, stopOnSignal } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

/** Resolves once the server runs; the process ends with a signal. */
export async function run(args: readonly string[]): Promise<void> {
  if (args[0] === "kubelet") return await (await import("./run-kubelet.ts")).runKubeletCommand(args.slice(1));
  if (args[0] === "scheduler") return await (await import("./run-scheduler.ts")).runSchedulerCommand(args.slice(1));
  if (args[0] === "controllers") return await (await import("./run-controllers.ts")).runControllersCommand(args.slice(1));
  const options = parseCommandLine((output) => parseOptions(args, process.env, manifest.version, output));
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
    stopOnSignal(() => cluster.close(), log);
    process.stdout.write(startMessage(cluster, options));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exitCode = 1;
  }
}

const startMessage = ({ server, kubeconfig, runtime }: RunningCluster, { dataDir }: Options): string => `
coxswain ${manifest.version} at ${server}, state ${dataDir === undefined ? "in memory" : `in ${dataDir}`}
${runtime === undefined ? "" : `Pods: ${runtime}\n`}
  export KUBECONFIG=${/^[\w./-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", "'\\''")}'`}
  kubectl get nodes -o wide
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods --watch

`;
