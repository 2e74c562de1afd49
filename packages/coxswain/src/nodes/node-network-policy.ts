/** NetworkPolicies of the nodes of this machine, in the process of the API server. A node may have a network namespace of its own. */
import type { ApiServer } from "@coxswain/apiserver";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { createNetworkPolicyAgent, type NodeAddresses, type StartingPods, tableName } from "@coxswain/network-policy";
import { ipFamilies, nftProgram, removeTables } from "@coxswain/proxy";
import { networkPolicyServiceAccount } from "../access/own-roles.ts";
import type { InProcessComponent } from "../components/start-component.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import { startTasks } from "../components/start-tasks.ts";
import { systemServiceAccount } from "../in-process/in-process-callers.ts";
import { serveIsolation } from "./isolation/isolation-server.ts";
import { programPath } from "./namespaces/run-program.ts";

/** A node, and where its rules are. */
export interface PolicyNode {
  readonly nodeName: string;
  /** The words that run a program in the network namespace of the node; none: this process is in it. */
  readonly inside: readonly string[];
  /** What its kubelet says of Pods before it starts them. */
  readonly starting: StartingPods;
  /** Where a kubelet of another process says so; undefined: it is in this one. */
  readonly socket: string | undefined;
}

export interface NodePolicySettings {
  readonly nodes: readonly PolicyNode[];
  /** What is allowed whatever policies say, beside the addresses of each node itself. */
  readonly nodeAddresses: NodeAddresses;
  /** Whether the rules go when it ends in order, as those of a cluster that is gone then. */
  readonly removesRules: boolean;
}

/** In logs, and as who it asks. */
export const policyAgent = "coxswain-network-policy";

/** Tables are looked at as often as the Service proxy does it; what changes is written as soon as that. Milliseconds. */
export const policyPeriods = { syncMs: 30_000, minSyncMs: 200 };

/** It runs until it is disposed of. */
export async function startNodePolicies(
  server: Pick<ApiServer, "handle">,
  { nodes, nodeAddresses, removesRules }: NodePolicySettings,
  dependencies: ComponentDependencies,
): Promise<InProcessComponent> {
  await using stack = new AsyncDisposableStack();
  const nftOf = ({ inside }: PolicyNode) => nftProgram([...inside, programPath("nft") ?? "nft"], tableName);
  const removeRules = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => removeTables(nftOf(node), ipFamilies, tableName)));
  };
  const component = stack.use(
    startTasks(
      server,
      {
        name: "network-policy",
        agent: policyAgent,
        user: systemServiceAccount(networkPolicyServiceAccount),
        tasks: () =>
          nodes.map((node) =>
            createNetworkPolicyAgent({
              ...policyPeriods,
              nodeName: node.nodeName,
              nft: nftOf(node),
              nodeAddresses,
              starting: node.starting,
            }),
          ),
        remove: removesRules ? removeRules : undefined,
      },
      dependencies,
    ),
  );
  for (const { socket, starting } of nodes)
    if (socket !== undefined) stack.use(await serveIsolation(socket, (pod, options) => starting.isolated(pod, options)));
  const owned = stack.move();
  return { ...component, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
