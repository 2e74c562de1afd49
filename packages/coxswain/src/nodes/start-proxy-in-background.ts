/** The Service proxy of the node that this machine is. */
import { hostname } from "node:os";
import type { ApiServer, Metrics } from "@coxswain/apiserver";
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
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export function startProxyInBackground(
  server: Pick<ApiServer, "handle">,
  { options, chosen, removesRules, metrics, ...dependencies }: ProxyInBackground,
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
    // Which addresses are Pods', the configuration of CNI alone says: no packet is taken for one.
    const settings = { nodeName, detectLocal: { mode: "none" }, masqueradeAll: !bridged, removesRules } as const;
    return startNodeProxy(server, settings, dependencies);
  };
  return startInBackground(start, { name: "proxy", metrics, clock, log });
}
