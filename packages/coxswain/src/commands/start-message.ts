/** What the command prints once it serves: for people, or for the program that has started it. */
import type { RunningCluster } from "../cluster/start-cluster.ts";
import type { CommandOptions } from "../options/cluster-options.ts";

export interface ServingCommand extends Pick<RunningCluster, "server" | "kubeconfig" | "runtime"> {
  /** Of coxswain. */
  readonly version: string;
  readonly pid: number;
}

export function startMessage(serving: ServingCommand, options: Pick<CommandOptions, "output" | "dataDir">): string {
  const { server, kubeconfig, pid, version } = serving;
  return options.output === "json" ? `${JSON.stringify({ server, kubeconfig, pid, version })}\n` : textOf(serving, options);
}

const textOf = ({ server, kubeconfig, runtime, version }: ServingCommand, { dataDir }: Pick<CommandOptions, "dataDir">): string => `
coxswain ${version} at ${server}, state ${dataDir === undefined ? "in memory" : `in ${dataDir}`}
${runtime === undefined ? "" : `Pods: ${runtime}\n`}
  export KUBECONFIG=${/^[\w./-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", "'\\''")}'`}
  kubectl get nodes -o wide
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods --watch

`;
