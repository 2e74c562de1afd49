/** `coxswain pod-network`: the network of a node's Pods, from a process of its own. It stays when the process ends. */
import { hostname } from "node:os";
import { resolve } from "node:path";
import { controllerManager } from "@coxswain/client";
import { nodeNameOf } from "@coxswain/kubelet";
import { messageOf, systemClock } from "@coxswain/machinery";
import { connect, runStandalone } from "../components/run-standalone.ts";
import { ProgramError } from "../nodes/namespaces/run-program.ts";
import { choosePodNetwork } from "../nodes/pod-network/choose-pod-network.ts";
import { removeCniConfig, wasBridged } from "../nodes/pod-network/cni-config.ts";
import { machinePlaces } from "../nodes/pod-network/machine-places.ts";
import { podNetworkAgent, removeBridge, removeMachineNetwork } from "../nodes/pod-network/pod-network-component.ts";
import { podNetworkTask } from "../nodes/pod-network/pod-network-task.ts";
import { type PodNetworkCommandOptions, parsePodNetworkOptions } from "../options/pod-network-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

export async function runPodNetworkCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parsePodNetworkOptions(args, output));
  if (options === undefined) return;
  if (options.cleanup) return await explained(() => cleanUp(options));
  await runStandalone({ ...options, leaderElection: undefined }, "pod-network", async (log) => {
    const { runtimeEndpoint: socket, cniConfDir: confDir, clusterCidrs } = options;
    const nodeName = options.hostnameOverride ?? nodeNameOf(hostname());
    const choice = () => choosePodNetwork({ isWanted: true, socket, confDir, clock: systemClock });
    const machine = { nodeName, choice, addressDir: resolve(options.addressDir), log };
    const task = podNetworkTask({ places: () => machinePlaces(machine), clusterCidrs });
    return controllerManager([task], { client: await connect(options, podNetworkAgent), log, component: podNetworkAgent });
  });
}

/** What runs on has addresses of a network that is gone then. */
async function cleanUp({ runtimeEndpoint: socket, cniConfDir }: PodNetworkCommandOptions): Promise<void> {
  await removeMachineNetwork();
  const confDir = cniConfDir ?? (await choosePodNetwork({ isWanted: true, socket, clock: systemClock })).confDir;
  if (wasBridged(confDir)) await removeBridge();
  removeCniConfig(confDir);
}

/** @throws StartError instead of ProgramError */
async function explained(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new StartError(`this needs root, and the programs ip and nft (Debian's packages iproute2 and nftables): ${messageOf(error)}`, {
      cause: error,
    });
  }
}
