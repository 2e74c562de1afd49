/** The nodes of this machine, real or simulated, and the server through which their logs and commands are reached. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@coxswain/apiserver";
import { type Client, createEventRecorder, MetricsRegistry } from "@coxswain/client";
import {
  createCriRuntime,
  createKubelet,
  createKubeletServer,
  createSimulatedRuntime,
  type Dial,
  defaultThresholds,
  type Kubelet,
  type KubeletOptions,
  type Machine,
  type MasterService,
  openProcessRuntime,
  type PodRuntime,
  parseThresholds,
  type ServedNode,
  thisMachine,
} from "@coxswain/kubelet";
import type { RandomSource } from "@coxswain/machinery";
import { beginAnew } from "../components/begin-anew.ts";
import type { InProcessComponent } from "../components/in-process.ts";
import type { KeyPair, ServedNames } from "../pki/issue-pair.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";
import type { NodeOptions } from "./node-options.ts";
import { simulatedMachine } from "./simulated-machine.ts";

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
   * machine's first.
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

export interface RunningNodes extends InProcessComponent {
  readonly names: readonly string[];
  /** Resolves when all are ready for Pods. */
  readonly ready: Promise<void>;
}

interface Prepared {
  readonly name: string;
  readonly machine: Machine;
  readonly runtime: PodRuntime;
  readonly dial: Dial | undefined;
}

/** @throws RangeError for thresholds that make no sense */
export async function startNodes(settings: NodesSettings): Promise<RunningNodes> {
  await using stack = new AsyncDisposableStack();
  const { options, clientAuthority, rootDir, log } = settings;
  const thresholds = options.evictionHard === undefined ? defaultThresholds : parseThresholds(options.evictionHard);
  await mkdir(rootDir, { recursive: true, mode: 0o750 });
  const prepared = await prepare(settings, stack);
  const [first] = prepared;
  const served = new Map<string, ServedNode>();
  const names = { dns: prepared.map(({ name }) => name), ip: first?.machine.addresses ?? [] };
  const client = settings.clientFor(first?.name ?? "");
  const { clock } = client;
  const tls = await settings.credentials(first?.name ?? "", names, client);
  const server = stack.use(createKubeletServer({ nodes: served, tls, clientAuthority, clock, log }));
  const { port } = await server.listen(options.kubeletPort, settings.address ?? "0.0.0.0");

  const metrics = new MetricsRegistry();
  const well = new Set<string>();
  const stop = new AbortController();
  const ready: Promise<void>[] = [];
  const running = prepared.map((node) => {
    const first = Promise.withResolvers<void>();
    ready.push(first.promise);
    const run = async (signal: AbortSignal, isWell: () => void): Promise<void> => {
      await using own = new AsyncDisposableStack();
      const kubelet = kubeletOf(settings, node, { port, thresholds, metrics }, own);
      served.set(node.name, kubelet.served);
      kubelet.ready.then(
        () => {
          well.add(node.name);
          isWell();
          first.resolve();
        },
        () => undefined,
      );
      await kubelet.run(signal).finally(() => well.delete(node.name));
    };
    return beginAnew({ what: `the kubelet of ${node.name}`, clock, log, run }, stop.signal).finally(() => first.reject(stop.signal.reason));
  });
  const allReady = Promise.all(ready).then(() => undefined);
  // Who does not wait for it need not handle that it never comes.
  allReady.catch(() => undefined);
  stack.defer(async () => {
    stop.abort(new Error("the nodes are stopped"));
    await Promise.all(running);
  });
  const owned = stack.move();
  return {
    names: prepared.map(({ name }) => name),
    ready: allReady,
    metrics: () => metrics.text(),
    healthy: () => prepared.every(({ name }) => well.has(name)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function prepare(
  { options, chosen, rootDir, address, random, clientFor }: NodesSettings,
  stack: AsyncDisposableStack,
): Promise<Prepared[]> {
  const found = await thisMachine(rootDir);
  const machine: Machine = address === undefined ? found : { ...found, addresses: [address] };
  const name = options.nodeName ?? machine.hostname;
  const { clock } = clientFor(name);
  switch (chosen.kind) {
    case "cri": {
      const runtime = stack.use(await createCriRuntime({ socket: options.runtimeEndpoint, clock }));
      return [{ name, machine, runtime, dial: undefined }];
    }
    case "process": {
      const directory = join(rootDir, "processes");
      const runtime = stack.use(await openProcessRuntime({ directory, clock, random, podIps: machine.addresses.slice(0, 1) }));
      return [{ name, machine, runtime, dial: undefined }];
    }
    case "simulated":
      return Array.from({ length: options.nodes }, (_, i) => {
        const runtime = stack.use(createSimulatedRuntime({ clock, random }));
        const own = options.nodes === 1 && options.nodeName !== undefined ? options.nodeName : `node-${i + 1}`;
        return { name: own, machine: simulatedMachine(machine, own), runtime, dial: runtime.dial };
      });
  }
}

function kubeletOf(
  settings: NodesSettings,
  { name, machine, runtime, dial }: Prepared,
  shared: Pick<KubeletOptions, "thresholds"> & { readonly port: number; readonly metrics: MetricsRegistry },
  stack: AsyncDisposableStack,
): Kubelet {
  const { port, thresholds, metrics } = shared;
  const { options, rootDir, chosen, kubeletVersion, masterService, random, log, clientFor } = settings;
  const { labels, taints, maxPods, cgroupRoot } = options;
  const client = clientFor(name);
  const events = stack.use(createEventRecorder({ client, component: "kubelet", host: name }));
  return createKubelet({
    client,
    identity: { name, machine, kubeletVersion, port, labels, taints, maxPods },
    runtime,
    ...(dial === undefined ? {} : { dial }),
    rootDir,
    logsDir: join(rootDir, "logs"),
    hasMachine: chosen.kind !== "simulated",
    events,
    random,
    log,
    thresholds,
    metrics,
    cgroupRoot,
    ...clusterDnsOf(settings),
    ...(masterService === undefined ? {} : { masterService }),
  });
}

/** Who has no resolver to be told of is not warned of having none. */
const clusterDnsOf = ({ options: { clusterDns }, chosen }: NodesSettings): Pick<KubeletOptions, "clusterDns"> => {
  const usual = ["10.96.0.10"];
  const told = clusterDns.length === 0 && chosen.kind !== "cri" ? usual : clusterDns;
  return told.length === 0 ? {} : { clusterDns: told };
};
