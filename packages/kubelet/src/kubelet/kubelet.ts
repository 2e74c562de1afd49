/** One node's agent: its Node in the API, and its Pods in the runtime. */
import { createInformer, MetricsRegistry, nodes, pods, runtimeClasses, services } from "@coxswain/client";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { createApiServerSource } from "../config/api-source.ts";
import { createFileSource } from "../config/file-source.ts";
import { createEviction, type Eviction } from "../eviction/eviction.ts";
import { levelsOf } from "../eviction/machine-levels.ts";
import { podUsages } from "../eviction/pod-usages.ts";
import { createDirectoryCleanup } from "../housekeeping/clean-directories.ts";
import { createImageGcManager } from "../image-manager/image-gc-manager.ts";
import type { NodeImageManager } from "../image-manager/image-manager.ts";
import { createLogRotation } from "../logs/rotate-logs.ts";
import { createNodeAgent, type NodeAgent } from "../node-status/node-agent.ts";
import type { NodeHealth } from "../node-status/node-conditions.ts";
import type { Node } from "../node-status/node-object.ts";
import { createPodSyncLoop, type PodSyncLoop } from "../pod-workers/pod-sync-loop.ts";
import { waitForRuntime } from "../runtime/wait-for-runtime.ts";
import type { ServedNode } from "../server/served-node.ts";
import { machineUsage } from "../stats/node-usage.ts";
import { createDependencies } from "./create-dependencies.ts";
import type { KubeletOptions } from "./kubelet-options.ts";

/** A kubelet runs the Pods of one node, and keeps its Node in the API. */
export interface Kubelet {
  /** Resolves when the node is ready for Pods. */
  readonly ready: Promise<void>;
  readonly node: Node | undefined;
  /** For the kubelet's server. */
  readonly served: ServedNode;
  /** Until the signal is aborted. Containers go on when it ends. */
  run(signal: AbortSignal): Promise<void>;
}

/** Makes a kubelet of a machine. Nothing happens before it runs. */
export const createKubelet = (options: KubeletOptions): Kubelet => new NodeKubelet(options);

class NodeKubelet implements Kubelet {
  readonly ready: Promise<void>;
  readonly served: ServedNode;
  readonly #options: KubeletOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #metrics: MetricsRegistry;
  readonly #probeMetrics = new MetricsRegistry();
  #agent: NodeAgent | undefined;
  #manager: PodSyncLoop | undefined;
  #eviction: Eviction | undefined;

  constructor(options: KubeletOptions) {
    const { identity, runtime, rootDir, hasMachine = true } = options;
    this.#options = options;
    this.#metrics = options.metrics ?? new MetricsRegistry();
    this.ready = this.#ready.promise;
    // Who does not wait for it need not handle that it never comes.
    this.ready.catch(() => undefined);
    this.served = {
      name: identity.name,
      runtime,
      pods: {
        list: () => this.#manager?.localPods.list() ?? [],
        find: (namespace, name, uid) => this.#manager?.localPods.find(namespace, name, uid),
      },
      metrics: () => this.#metrics.text(),
      probeMetrics: () => this.#probeMetrics.text(),
      ...(hasMachine ? { usage: () => machineUsage(rootDir) } : {}),
    };
  }

  get node(): Node | undefined {
    return this.#agent?.node;
  }

  async run(signal: AbortSignal): Promise<void> {
    await using stack = new AsyncDisposableStack();
    // Whatever ends by itself ends the rest: a kubelet runs as a whole or not at all.
    const stop = new AbortController();
    const all = AbortSignal.any([signal, stop.signal]);
    try {
      const { client, identity, log } = this.#options;
      const fieldSelector = `metadata.name=${identity.name}`;
      const own = createInformer(client.resource(nodes), { clock: client.clock, fieldSelector, log });
      const agent = await this.#createAgent(() => own.lister.get({ name: identity.name }), all);
      const works = [(ends: AbortSignal) => own.run(ends), ...this.#works(agent, stack)];
      const running = works.map((work) => work(all).finally(() => stop.abort(new Error("a part of the kubelet has ended"))));
      Promise.all([agent.ready, this.#manager?.ready]).then(
        () => this.#ready.resolve(),
        (error: unknown) => this.#ready.reject(error),
      );
      const ended = await Promise.allSettled(running);
      const failed = ended.find((one) => one.status === "rejected");
      if (failed !== undefined && !signal.aborted) throw failed.reason;
    } catch (error) {
      this.#ready.reject(error);
      if (!signal.aborted) throw error;
    }
  }

  async #createAgent(watched: () => Node | undefined, signal: AbortSignal): Promise<NodeAgent> {
    const { client, identity, runtime, events, random, log } = this.#options;
    const context = { dependencies: { runtime }, clock: client.clock, log };
    const { name, version } = await waitForRuntime(context, signal, (asked, own) => asked.version(own));
    const { handlers } = await waitForRuntime(context, signal, (asked, own) => asked.status(own));
    const known = { ...identity, runtimeVersion: `${name}://${version}`, runtimeHandlers: handlers };
    const health = () => this.#health();
    const agent = createNodeAgent({ client, identity: known, runtime, events, random, log, health, known: watched });
    this.#agent = agent;
    return agent;
  }

  #health(): NodeHealth {
    const pressures = this.#eviction?.pressures();
    return {
      problems: [],
      memoryPressure: pressures?.has("MemoryPressure") === true,
      diskPressure: pressures?.has("DiskPressure") === true,
      pidPressure: pressures?.has("PIDPressure") === true,
    };
  }

  #works(agent: NodeAgent, stack: AsyncDisposableStack): readonly ((signal: AbortSignal) => Promise<void>)[] {
    const { client, identity, events, random, log, hasMachine = true } = this.#options;
    const { clock } = client;
    // Ended Pods too: their containers are still to be looked after.
    const own = createInformer(client.resource(pods), { clock, fieldSelector: `spec.nodeName=${identity.name}`, log });
    const serviceInformer = createInformer(client.resource(services), { clock, log });
    const classes = createInformer(client.resource(runtimeClasses), { clock, log });
    const handlerOf = (name: string) => classes.lister.get({ name })?.handler;
    const dependencies = createDependencies(this.#options, {
      services: serviceInformer,
      handlerOf,
      allocatable: () => agent.node?.status?.allocatable ?? {},
      changed: (uid) => this.#manager?.poke(uid),
      probeMetrics: this.#probeMetrics,
      stack,
    });
    const manager = createPodSyncLoop({
      nodeName: identity.name,
      client,
      pods: createApiServerSource(own),
      dependencies,
      node: () => agent.node,
      registered: agent.ready,
      events,
      random,
      log,
      metrics: this.#metrics,
      addresses: () => identity.machine.addresses,
      networkProblem: () => agent.networkProblem,
      ...this.#staticPods(),
    });
    this.#manager = manager;
    const machine = hasMachine ? this.#machineWorks(agent, manager, dependencies.images) : [];
    return [
      (signal) => agent.run(signal),
      (signal) => manager.run(signal),
      (signal) => serviceInformer.run(signal),
      (signal) => classes.run(signal),
      (signal) => own.run(signal),
      ...machine,
    ];
  }

  #staticPods() {
    const { client, identity, log, staticPods: path } = this.#options;
    return path === undefined ? {} : { staticPods: createFileSource({ path, nodeName: identity.name, clock: client.clock, log }) };
  }

  #machineWorks(agent: NodeAgent, manager: PodSyncLoop, pulled: NodeImageManager): readonly ((signal: AbortSignal) => Promise<void>)[] {
    const { client, runtime, rootDir, logsDir, thresholds, events, log, identity } = this.#options;
    const { clock } = client;
    const images = createImageGcManager({
      runtime,
      clock,
      events,
      node: () => agent.node,
      log,
      listing: () => pulled.records.listing(),
      left: (ids) => pulled.records.keep(ids),
    });
    let knowsAll = false;
    const ready = (): void => {
      knowsAll = true;
    };
    manager.ready.then(ready, () => undefined);
    const isKnown = (uid: string): boolean => !knowsAll || manager.localPods.list().some(({ pod }) => pod.metadata?.uid === uid);
    const files = createDirectoryCleanup({ runtime, clock, rootDir, logsDir, isKnown, log });
    return [
      (signal) => createLogRotation({ runtime, clock, log }).run(signal),
      (signal) => images.run(signal),
      (signal) => files.run(signal),
      (signal) => {
        const eviction = createEviction({
          clock,
          thresholds,
          levels: async () => levelsOf(await machineUsage(rootDir), identity.machine.memoryBytes),
          usages: () => podUsages({ runtime, pods: manager.localPods, rootDir }, signal),
          evict: (pod, why) => manager.evict(pod, why),
          reclaim: async (own) => {
            await manager.collectGarbage(own);
            await images.deleteUnused(own);
          },
          events,
          node: () => agent.node,
          changed: () => agent.refresh(),
          log,
        });
        this.#eviction = eviction;
        return eviction.run(signal);
      },
    ];
  }
}
