/** NetworkPolicies of the nodes of this machine, in the process of the API server. A node may have a network namespace of its own. */
import type { ApiServer } from "@coxswain/apiserver";
import { controllerManager } from "@coxswain/client";
import { createNetworkPolicyAgent, type NodeAddresses, tableName } from "@coxswain/network-policy";
import { ipFamilies, nftProgram, removeTables } from "@coxswain/proxy";
import { networkPolicyServiceAccount } from "../access/own-roles.ts";
import { type ComponentDependencies, type InProcessComponent, startInProcess } from "../components/start-in-process.ts";
import { systemServiceAccount } from "../in-process/in-process-callers.ts";
import { programPath } from "./namespaces/run-program.ts";

/** A node, and where its rules are. */
export interface PolicyNode {
  readonly nodeName: string;
  /** The words that run a program in the network namespace of the node; none: this process is in it. */
  readonly inside: readonly string[];
}

export interface NodePolicySettings {
  readonly nodes: readonly PolicyNode[];
  /** What is allowed whatever policies say, beside the addresses of each node itself. */
  readonly nodeAddresses: NodeAddresses;
  /** Whether the rules go when it ends in order, as those of a cluster that is gone then. */
  readonly removesRules: boolean;
}

const agent = "coxswain-network-policy";

/** Tables are looked at as often as the Service proxy does it; what changes is written as soon as that. Milliseconds. */
const periods = { syncMs: 30_000, minSyncMs: 200 };

/** It runs until it is disposed of. */
export function startNodePolicies(
  server: Pick<ApiServer, "handle">,
  { nodes, nodeAddresses, removesRules }: NodePolicySettings,
  dependencies: ComponentDependencies,
): InProcessComponent {
  const { log } = dependencies;
  const nftOf = ({ inside }: PolicyNode) => nftProgram([...inside, programPath("nft") ?? "nft"], tableName);
  const component = startInProcess(
    server,
    {
      name: "network-policy",
      agent,
      user: systemServiceAccount(networkPolicyServiceAccount),
      manager: (client, metrics) => {
        const agents = nodes.map((node) =>
          createNetworkPolicyAgent({ ...periods, nodeName: node.nodeName, nft: nftOf(node), nodeAddresses }),
        );
        const manager = controllerManager(agents, { client, log, metrics, component: agent });
        const healthy = () => ({ ok: agents.every((one) => one.healthy()) && manager.healthy().ok });
        const ready = Promise.all(agents.map((one) => one.ready)).then(() => undefined);
        return { ready, healthy, run: (signal) => manager.run(signal) };
      },
    },
    dependencies,
  );
  return {
    ...component,
    [Symbol.asyncDispose]: async () => {
      await component[Symbol.asyncDispose]();
      if (removesRules) await Promise.all(nodes.map((node) => removeTables(nftOf(node), ipFamilies, tableName)));
    },
  };
}
