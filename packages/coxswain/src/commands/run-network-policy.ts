/** `coxswain network-policy`: NetworkPolicies of a node, from a process of its own. Rules stay when it ends. */
import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { type ControllerManager, controllerManager } from "@coxswain/client";
import { nodeNameOf } from "@coxswain/kubelet";
import { createNetworkPolicyAgent, StartingPods, tableName } from "@coxswain/network-policy";
import { ipFamilies, type Nft, NftError, nftProgram, removeTables } from "@coxswain/proxy";
import type { pino } from "pino";
import { connect, runStandalone } from "../components/run-standalone.ts";
import { serveIsolation } from "../nodes/isolation/isolation-server.ts";
import { areBridgedPacketsFiltered } from "../nodes/namespaces/pod-network.ts";
import { policyAgent, policyPeriods } from "../nodes/node-network-policy.ts";
import { type NetworkPolicyCommandOptions, parseNetworkPolicyOptions } from "../options/network-policy-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";

export async function runNetworkPolicyCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseNetworkPolicyOptions(args, output));
  if (options === undefined) return;
  const nft = nftProgram(undefined, tableName);
  if (options.cleanup) return await cleanUp(options, nft);
  const { metrics } = options;
  const at = metrics === undefined ? { metricsPort: undefined } : { metricsPort: metrics.port, metricsHost: metrics.host };
  await runStandalone({ ...options, ...at, leaderElection: undefined }, "network-policy", (log) => managePolicies(options, nft, log));
}

/** From then on kubelets of this machine wait for nobody. */
async function cleanUp({ socket }: NetworkPolicyCommandOptions, nft: Nft): Promise<void> {
  await explained(() => removeTables(nft, ipFamilies, tableName));
  rmSync(socket, { force: true });
}

/** @throws StartError where this machine cannot have rules */
async function managePolicies(options: NetworkPolicyCommandOptions, nft: Nft, log: pino.Logger): Promise<ControllerManager> {
  await explained(() => nft.readTable("IPv4"));
  const nodeName = options.hostnameOverride ?? nodeNameOf(hostname());
  const starting = new StartingPods();
  // What a Pod of this node sends to the node itself, and gets from it, passes no rules.
  const nodeAddresses = { IPv4: [], IPv6: [] };
  const agent = createNetworkPolicyAgent({ ...policyPeriods, nodeName, nft, nodeAddresses, starting });
  agent.ready.then(
    () => log.info({ node: nodeName }, "NetworkPolicies are enforced"),
    () => undefined,
  );
  if (!(await areBridgedPacketsFiltered()))
    log.info({}, "where a bridge joins the Pods of this node, packets between them pass the rules by (is br_netfilter loaded?)");
  const client = await connect(options, policyAgent);
  const served = await serveIsolation(options.socket, (pod, asked) => starting.isolated(pod, asked)).catch((error: unknown) => {
    throw startErrorOf(`cannot answer kubelets at ${options.socket}`, error);
  });
  const manager = controllerManager([agent], { client, log, component: policyAgent });
  return {
    ready: manager.ready,
    metrics: manager.metrics,
    healthy: () => {
      const health = manager.healthy();
      return agent.healthy() ? health : { ...health, ok: false, problems: [...health.problems, "rules do not follow the cluster"] };
    },
    run: async (signal) => {
      await using _ = served;
      await manager.run(signal);
    },
  };
}

/** @throws StartError instead of NftError */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NftError)) throw error;
    const what = "NetworkPolicies need root, or CAP_NET_ADMIN, and the program nft (Debian's package nftables)";
    throw new StartError(`${what}: ${error.message}`, { cause: error });
  }
}
