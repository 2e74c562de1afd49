/** The Service proxy of the node that this machine is. */
import { hostname } from "node:os";
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import type { DetectLocal } from "@coxswain/proxy";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";
import { areBridgedPacketsFiltered } from "./namespaces/pod-network.ts";
import { nodeNames } from "./node-names.ts";

export interface ProxyInBackground extends ComponentDependencies {
  readonly options: NodeOptions;
  readonly chosen: ChosenRuntime;
  /** Whether its rules go with it. */
  readonly removesRules: boolean;
  /** The addresses of Pods, where these come from this process; none: not known. */
  readonly podCidrs: readonly string[];
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export function startProxyInBackground(
  server: Pick<ApiServer, "handle">,
  { options, chosen, removesRules, podCidrs, metrics, ...dependencies }: ProxyInBackground,
): BackgroundComponent {
  const { clock, log } = dependencies;
  const start = async () => {
    const [{ startNodeProxy }, { nodeNameOf }, bridged] = await Promise.all([
      import("./node-proxy.ts"),
      import("@coxswain/kubelet"),
      areBridgedPacketsFiltered(),
    ]);
    const [nodeName] = nodeNames(options, chosen, nodeNameOf(hostname()));
    // Else the answer of a Pod to another one at its bridge would not come from the address that was asked.
    if (!bridged)
      log.warn({}, "packets between Pods of one bridge pass the rules by (is br_netfilter loaded?): Services see the node as client");
    const detectLocal = await localPods(options.runtimeEndpoint, podCidrs, dependencies);
    const settings = { nodeName, detectLocal, masqueradeAll: !bridged, removesRules } as const;
    return startNodeProxy(server, settings, dependencies);
  };
  return startInBackground(start, { name: "proxy", metrics, clock, log });
}

/** Where somebody else's configuration of CNI counts, it alone says which addresses are Pods': no packet is taken for one. */
async function localPods(socket: string, cidrs: readonly string[], { clock }: ComponentDependencies): Promise<DetectLocal> {
  if (cidrs.length === 0) return { mode: "none" };
  const { choosePodNetwork } = await import("./pod-network/choose-pod-network.ts");
  const { kind } = await choosePodNetwork({ socket, clock }, new AbortController().signal);
  return kind === "own" ? { mode: "ClusterCIDR", cidrs } : { mode: "none" };
}
