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
import type { ChosenPodNetwork } from "./pod-network/chosen-pod-network.ts";

export interface ProxyInBackground extends ComponentDependencies {
  readonly options: NodeOptions;
  readonly chosen: ChosenRuntime;
  /** Whether its rules go with it. */
  readonly removesRules: boolean;
  /** Who gives Pods addresses. */
  readonly choice: ChosenPodNetwork;
  /** The addresses of Pods, where these come from this process. */
  readonly podCidrs: readonly string[];
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export function startProxyInBackground(
  server: Pick<ApiServer, "handle">,
  { options, chosen, removesRules, choice, podCidrs, metrics, ...dependencies }: ProxyInBackground,
): BackgroundComponent {
  const { clock, log } = dependencies;
  const start = async () => {
    const [{ startNodeProxy }, { nodeNameOf }, { kind, routes }] = await Promise.all([
      import("./node-proxy.ts"),
      import("@coxswain/kubelet"),
      choice(),
    ]);
    const [nodeName] = nodeNames(options, chosen, nodeNameOf(hostname()));
    // Else the answer of a Pod to another one at its bridge would not come from the address that was asked.
    const masqueradeAll = !routes && !(await areBridgedPacketsFiltered());
    if (masqueradeAll)
      log.warn({}, "packets between Pods of one bridge pass the rules by (is br_netfilter loaded?): Services see the node as client");
    // Where somebody else's configuration of CNI counts, it alone says which addresses are Pods': no packet is taken for one.
    const detectLocal: DetectLocal = kind === "own" && podCidrs.length > 0 ? { mode: "ClusterCIDR", cidrs: podCidrs } : { mode: "none" };
    const settings = { nodeName, detectLocal, masqueradeAll, removesRules };
    return startNodeProxy(server, settings, dependencies);
  };
  return startInBackground(start, { name: "proxy", metrics, clock, log });
}
