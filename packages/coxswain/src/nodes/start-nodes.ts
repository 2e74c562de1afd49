/** The nodes of this machine, real or simulated, and the server through which their logs and commands are reached. */
import { mkdir } from "node:fs/promises";
import type { Log } from "@coxswain/apiserver";
import type { Client } from "@coxswain/client";
import { createKubeletServer, delegatedAccess, type MasterService, type ServedNode, thisMachine } from "@coxswain/kubelet";
import type { RandomSource } from "@coxswain/machinery";
import type { InProcessComponent } from "../components/in-process.ts";
import { hostAddressFirst } from "../host-address.ts";
import type { KeyPair, ServedNames } from "../pki/issue-pair.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";
import { startMachineNode } from "./machine-node.ts";
import type { NodeOptions } from "./node-options.ts";
import { startSimulatedNodes } from "./simulated-nodes.ts";

export interface NodesSettings {
  readonly options: NodeOptions;
  readonly chosen: ChosenRuntime;
  /** Absolute. */
  readonly rootDir: string;
  /** As `system:node:<name>`. */
  readonly clientFor: (node: string) => Client;
  /** `v1.36.3+coxswain-…`. */
  readonly kubeletVersion: string;
  /**
   * What the kubelet's server listens on, and what the nodes say they are reached at; undefined for all addresses, and the
   * machine's own.
   */
  readonly address: string | undefined;
  /** With what the kubelet's server serves. */
  readonly credentials: (node: string, names: ServedNames, client: Client) => KeyPair | Promise<KeyPair>;
  /** In PEM: who signs the certificates of those that may ask the kubelet. */
  readonly clientAuthority: string;
  readonly masterService: MasterService | undefined;
  readonly random: RandomSource;
  readonly log: Log;
}

/** What the nodes are told of each other and of where they are. */
export interface NodesPlace {
  /** At least one. */
  readonly names: readonly [string, ...string[]];
  readonly addresses: readonly string[];
  readonly port: number;
  /** Where the server finds them. */
  readonly served: Map<string, ServedNode>;
}

export interface StartedNodes extends InProcessComponent {
  /** Resolves when all are ready for Pods. */
  readonly ready: Promise<void>;
}

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
  const place: NodesPlace = { names, addresses, port, served };
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
