/** `coxswain proxy`: the Service proxy of a node in a process of its own. Its rules stay when it ends. */
import { hostname } from "node:os";
import { type ControllerManager, controllerManager } from "@coxswain/client";
import { nodeNameOf } from "@coxswain/kubelet";
import { conntrackProgram, createProxy, ipFamilies, type Nft, NftError, nftProgram, removeTables } from "@coxswain/proxy";
import type { pino } from "pino";
import { connect, runStandalone } from "../components/run-standalone.ts";
import { interfaceAddresses, masqueradeBit, proxyAgent } from "../nodes/node-proxy.ts";
import { type ProxyCommandOptions, parseProxyOptions } from "../options/proxy-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

export async function runProxyCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseProxyOptions(args, output));
  if (options === undefined) return;
  const nft = nftProgram();
  if (options.cleanup) return await explained(() => cleanUp(nft));
  await runStandalone({ ...options, ...metricsOf(options), leaderElection: undefined }, "proxy", async (log) =>
    manageProxy(options, nft, log),
  );
}

/** Rules of NetworkPolicies, too, which go on when the server has ended as those of Services do. @throws NftError */
async function cleanUp(nft: Nft): Promise<void> {
  const { tableName } = await import("@coxswain/network-policy");
  await removeTables(nft, ipFamilies);
  await removeTables(nft, ipFamilies, tableName);
}

const metricsOf = ({ metrics }: ProxyCommandOptions) =>
  metrics === undefined ? { metricsPort: undefined } : { metricsPort: metrics.port, metricsHost: metrics.host };

/** @throws StartError where this machine cannot have rules */
async function manageProxy(options: ProxyCommandOptions, nft: Nft, log: pino.Logger): Promise<ControllerManager> {
  await explained(() => nft.readTable("IPv4"));
  const nodeName = options.hostnameOverride ?? nodeNameOf(hostname());
  const proxy = createProxy({
    configuration: {
      nodeName,
      masqueradeAll: options.masqueradeAll,
      masqueradeBit,
      detectLocal: options.detectLocal,
      nodePortAddresses: options.nodePortAddresses,
    },
    nft,
    conntrack: conntrackProgram(),
    interfaceAddresses,
    healthz: options.healthz,
    syncMs: options.syncMs,
    minSyncMs: options.minSyncMs,
  });
  proxy.ready.then(
    () => log.info({ node: nodeName }, "Services are reachable"),
    () => undefined,
  );
  return controllerManager([proxy], { client: await connect(options, proxyAgent), log, component: proxyAgent });
}

/** @throws StartError instead of NftError */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NftError)) throw error;
    throw new StartError(`the proxy needs root, or CAP_NET_ADMIN, and the program nft (Debian's package nftables): ${error.message}`, {
      cause: error,
    });
  }
}
