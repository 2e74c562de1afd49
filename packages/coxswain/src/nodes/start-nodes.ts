/** The nodes of this machine, real or simulated, and the server through which their logs and commands are reached. */
import { mkdir } from "node:fs/promises";
import { createKubeletServer, delegatedAccess, type ServedNode, thisMachine } from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { hostAddressFirst } from "./host-address.ts";
import { startMachineNode } from "./machine-node.ts";
import type { NodesEndpoint, NodesSettings, StartedNodes } from "./nodes-settings.ts";
import { startSimulatedNodes } from "./simulated-nodes.ts";

export interface RunningNodes extends StartedNodes {
  readonly names: readonly string[];
}

/** @throws RangeError for thresholds that make no sense */
export async function startNodes(settings: NodesSettings): Promise<RunningNodes> {
  await using stack = new AsyncDisposableStack();
  const { clientAuthority, rootDir, log, address, options, chosen, clientFor } = settings;
  await mkdir(rootDir, { recursive: true, mode: 0o750 });
  const found = await thisMachine(rootDir);
  const machine = { ...found, addresses: address === undefined ? hostAddressFirst(found.addresses) : [address] };
  const { addresses } = machine;
  const names = namesOf(settings, machine.hostname);
  const client = clientFor(names[0]);
  const served = new Map<string, ServedNode>();
  const tls = await settings.credentials(names[0], { dns: names, ip: addresses }, client);
  const server = stack.use(
    createKubeletServer({ nodes: served, tls, clientAuthority, access: delegatedAccess(client), clock: client.clock, log }),
  );
  const { port } = await server.listen(options.kubeletPort, address ?? "0.0.0.0");
  const place: NodesEndpoint = { names, addresses, port, served };
  const nodes = stack.use(
    chosen.kind === "simulated"
      ? startSimulatedNodes(settings, place)
      : await startMachineNode({ ...settings, kind: chosen.kind, machine }, place),
  );
  const owned = stack.move();
  return {
    names,
    ready: nodes.ready,
    metrics: () => nodes.metrics(),
    healthy: () => nodes.healthy(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function namesOf({ options: { nodes, nodeName }, chosen }: NodesSettings, hostname: string): readonly [string, ...string[]] {
  if (chosen.kind !== "simulated") return [nodeName ?? hostname];
  if (nodes === 1 && nodeName !== undefined) return [nodeName];
  return ["node-1", ...Array.from({ length: nodes - 1 }, (_, i) => `node-${i + 2}`)];
}
