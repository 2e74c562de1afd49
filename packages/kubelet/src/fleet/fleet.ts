/**
 * Many simulated nodes in one process: one copy of all Pods and of all Nodes for them together, which they share with whoever
 * else runs under the same manager, one recorder of events, one watch of each object that Pods refer to.
 */
import { type Client, createInFlightLimiter, nodes, pods, type Task, type TaskContext } from "@coxswain/client";
import { AsyncDisposableStack } from "@coxswain/machinery";
import type { NodeIdentity } from "../node-status/node-object.ts";
import { createWatchBasedManager } from "../object-managers/watch-based-manager.ts";
import type { ServedNode } from "../server/served-node.ts";
import type { Simulation } from "../simulated/simulation.ts";
import { createVolumeManager } from "../volume-manager/volume-manager.ts";
import { createFleetNode, type FleetNode } from "./fleet-node.ts";
import { type IpFamily, simulatedIdentity } from "./identity.ts";
import { nodePods } from "./node-pods.ts";

/** How many nodes a fleet has, what they are called and how they behave. */
export interface FleetOptions {
  /** How many, which are called `node-1` and so on, or their names. */
  readonly nodes: number | readonly string[];
  readonly simulation: Simulation;
  /** Who writes. Default: the manager's. */
  readonly client?: Client;
  /**
   * As who each node reads what its Pods refer to, and writes. Default: all as `client`; then they share what they read, which no
   * node of Kubernetes may.
   */
  readonly clientFor?: (node: string) => Client;
  /** All nodes read what their Pods refer to as `client`, whoever writes: once for all of them. Default: where `clientFor` is missing. */
  readonly sharesReads?: boolean;
  /**
   * How many requests for the Pods of all nodes are under way at a time. Registration, status and Leases of nodes do not wait: as a kubelet's
   * they go beside. Default: 100.
   */
  readonly maxInFlight?: number;
  /** Of which Nodes and Pods have addresses, the first before the others. Default: IPv4 alone. */
  readonly ipFamilies?: readonly IpFamily[];
  /** What is to differ from `simulatedIdentity`. */
  readonly identity?: (name: string, index: number) => Partial<NodeIdentity>;
}

/** Runs once, with others or alone: `startControllers([createFleet({ nodes: 1000, simulation })], { client })`. */
export interface Fleet extends Task {
  /** Resolves when all nodes are registered and follow their Pods. */
  readonly ready: Promise<void>;
  readonly names: readonly string[];
  /** Undefined before the fleet runs, and for what is no node of it. */
  node(name: string): ServedNode | undefined;
}

/** So many nodes register at a time. */
const atOnce = 50;

/** Makes a fleet of simulated nodes, a task for `startControllers`. */
export const createFleet = (options: FleetOptions): Fleet => new SimulatedFleet(options);

class SimulatedFleet implements Fleet {
  readonly name = "fleet";
  readonly component = "kubelet";
  readonly ready: Promise<void>;
  readonly names: readonly string[];
  readonly #options: FleetOptions;
  readonly #members = new Map<string, FleetNode>();
  readonly #ready = Promise.withResolvers<void>();

  constructor(options: FleetOptions) {
    const { nodes: wanted } = options;
    this.#options = options;
    this.names = typeof wanted === "number" ? Array.from({ length: wanted }, (_, i) => `node-${i + 1}`) : wanted;
    this.ready = this.#ready.promise;
    // Who does not wait for it need not handle that it never comes.
    this.ready.catch(() => undefined);
  }

  node(name: string): ServedNode | undefined {
    return this.#members.get(name)?.served;
  }

  async run(ctx: TaskContext, signal: AbortSignal): Promise<void> {
    const { simulation, client = ctx.client, clientFor, identity, ipFamilies = ["IPv4"] } = this.#options;
    const { sharesReads = clientFor === undefined, maxInFlight = 100 } = this.#options;
    const limiter = createInFlightLimiter(maxInFlight);
    const limited = (one: Client): Client => one.with({ transport: limiter.limit(one.transport) });
    const { informers, events, metrics, log } = ctx;
    await using stack = new AsyncDisposableStack();
    // A node alone reads no more than it may as itself.
    const [only] = this.names.length === 1 ? this.names : [];
    const of = (field: string) => (only === undefined ? {} : { fieldSelector: `${field}=${only}` });
    const nodeInformer = stack.use(informers.use(nodes, of("metadata.name"))).informer;
    const podInformer = stack.use(informers.use(pods, of("spec.nodeName"))).informer;
    const source = stack.use(nodePods(podInformer));
    const shared = sharesReads ? this.#readersAs(limited(client), ctx, stack, (podUid) => this.#poke(podUid)) : undefined;
    await Promise.all([nodeInformer.synced, podInformer.synced]);
    for (const [index, name] of this.names.entries()) {
      const heartbeatClient = clientFor?.(name) ?? client;
      const writer = limited(heartbeatClient);
      const readers = shared ?? this.#readersAs(writer, ctx, stack, (podUid) => this.#members.get(name)?.manager.poke(podUid));
      const member = createFleetNode({
        client: writer,
        heartbeatClient,
        simulation,
        identity: { ...simulatedIdentity(name, index, ipFamilies), ...identity?.(name, index) },
        podCidrs: ipFamilies.map((family) => podCidrOf(index, family)),
        pods: source.of(name),
        node: () => nodeInformer.lister.get({ name }),
        ...readers,
        events,
        metrics,
        log,
      });
      this.#members.set(name, stack.use(member));
    }
    await this.#runAll(signal);
  }

  /** Whoever has the Pod: the workers of other nodes do not know it. */
  #poke(podUid: string): void {
    for (const { manager } of this.#members.values()) manager.poke(podUid);
  }

  /** What Pods refer to. Nothing is on disk, and no token is requested that would not be read. */
  #readersAs(client: Client, { events }: TaskContext, stack: AsyncDisposableStack, changed: (podUid: string) => void) {
    const objects = stack.use(createWatchBasedManager(client));
    const volumes = stack.use(
      createVolumeManager({
        rootDir: "",
        client,
        objects,
        tokens: {
          getServiceAccountToken: async () => ({ token: "", renewAt: Number.POSITIVE_INFINITY }),
          deleteServiceAccountTokens: () => undefined,
        },
        events,
        allocatable: () => ({}),
        changed,
        mounter: undefined,
        writesFiles: false,
      }),
    );
    return { objects, volumes };
  }

  /** Each node has a signal of its own: what listens to one is found by looking at all that do. */
  async #runAll(signal: AbortSignal): Promise<void> {
    const stops: AbortController[] = [];
    const running: Promise<void>[] = [];
    const waiting = [...this.#members.values()];
    const failed = Promise.withResolvers<never>();
    const stopAll = () => {
      for (const stop of stops) stop.abort(signal.reason);
      failed.reject(signal.reason);
    };
    signal.addEventListener("abort", stopAll, { once: true });
    if (signal.aborted) stopAll();
    const startSome = async (): Promise<void> => {
      for (let member = waiting.shift(); member !== undefined && !signal.aborted; member = waiting.shift()) {
        const { agent, manager } = member;
        const stop = new AbortController();
        stops.push(stop);
        for (const run of [agent.run(stop.signal), manager.run(stop.signal)]) running.push(run.catch(failed.reject));
        await Promise.all([agent.ready, manager.ready]);
      }
    };
    try {
      await Promise.race([Promise.all(Array.from({ length: atOnce }, startSome)), failed.promise]);
      this.#ready.resolve();
      await failed.promise;
    } catch (error) {
      this.#ready.reject(error);
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", stopAll);
      for (const stop of stops) stop.abort(signal.reason ?? new Error("another node of the fleet has failed"));
      await Promise.all(running);
    }
  }
}

/** 254 addresses of IPv4 for each of the first 16,384 nodes, from 10.0.0.0/8's upper three quarters; others share. */
const podCidrOf = (index: number, family: IpFamily): string =>
  family === "IPv4" ? `10.${64 + ((index >> 8) % 192)}.${index & 255}.0/24` : `fd00:10:64:${(index & 0xffff).toString(16)}::/64`;
