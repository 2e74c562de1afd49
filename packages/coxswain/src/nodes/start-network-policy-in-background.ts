/** NetworkPolicies beside the API server, as a component of its process. */

import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";
import type { PolicyGate } from "./isolation/policy-gate.ts";
import type { NetworkPlan } from "./namespaces/network-plan.ts";
import { isolationSocket, nodeFolder } from "./namespaces/run-folder.ts";
import { inNamespace } from "./namespaces/run-program.ts";
import { nodeNames } from "./node-names.ts";
import type { ChosenPodNetwork } from "./pod-network/chosen-pod-network.ts";
import { warnOfBridge } from "./warn-of-bridge.ts";

export interface NetworkPolicyInBackground extends ComponentDependencies {
  readonly options: NodeOptions;
  readonly chosen: ChosenRuntime;
  /** Where nodes have network namespaces of their own; undefined: this machine is the node. */
  readonly plan: NetworkPlan | undefined;
  /** Who gives Pods of this machine addresses. */
  readonly choice: ChosenPodNetwork;
  /** What kubelets say of Pods before they start them. */
  readonly gate: PolicyGate;
  /** Where names of Services are answered. */
  readonly dnsAddresses: readonly string[];
  /** Whether its rules go with it. */
  readonly removesRules: boolean;
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export function startNetworkPolicyInBackground(
  server: Pick<ApiServer, "handle">,
  { options, chosen, plan, choice, gate, dnsAddresses, removesRules, metrics, ...dependencies }: NetworkPolicyInBackground,
): BackgroundComponent {
  const { clock, log } = dependencies;
  const start = async () => {
    const [{ startNodePolicies }, { nodeNameOf }] = await Promise.all([import("./node-network-policy.ts"), import("@coxswain/kubelet")]);
    if (plan === undefined) await warnOfBridge(choice, log);
    const [nodeName] = nodeNames(options, chosen, nodeNameOf(hostname()));
    const nodes =
      plan === undefined
        ? [{ nodeName, inside: [], socket: undefined, starting: await gate.startingOn(nodeName) }]
        : await Promise.all(
            plan.nodes.map(async ({ name, namespace }) => {
              const socket = isolationSocket(nodeFolder(plan.id, name));
              return { nodeName: name, inside: inNamespace(namespace), socket, starting: await gate.startingOn(name) };
            }),
          );
    // The machine that the nodes are on counts as each of them; what a node that is the machine sends itself passes no rules.
    const own = plan === undefined ? [] : [...new Set([plan.gateway, ...dnsAddresses])];
    const nodeAddresses = { IPv4: own.filter((ip) => !isIPv6(ip)), IPv6: own.filter((ip) => isIPv6(ip)) };
    // Namespaces of nodes are gone when these are.
    return await startNodePolicies(server, { nodes, nodeAddresses, removesRules: removesRules && plan === undefined }, dependencies);
  };
  return startInBackground(start, { name: "network-policy", metrics, clock, log });
}
