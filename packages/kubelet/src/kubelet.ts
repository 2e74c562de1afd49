/** One node's agent: its Node in the API, and its Pods in the runtime. */
import type { coreV1 } from "@coxswain/api";
import {
  type Client,
  createInformer,
  type EventRecorder,
  type Informer,
  MetricsRegistry,
  pods,
  runtimeClasses,
  services,
} from "@coxswain/client";
import { type RandomSource, sleep } from "@coxswain/machinery";
import { createPodConfigs } from "./config/pod-configs.ts";
import type { MasterService } from "./config/service-variables.ts";
import { createEviction, type Eviction } from "./eviction/eviction.ts";
import { levelsOf } from "./eviction/machine-levels.ts";
import { podUsages } from "./eviction/pod-usages.ts";
import type { Threshold } from "./eviction/thresholds.ts";
import { createFileGarbage } from "./garbage/collect-files.ts";
import { createHooks } from "./hooks/hooks.ts";
import { createImages, type NodeImages } from "./images/create-images.ts";
import { createImageGarbage } from "./images/image-garbage.ts";
import { createLogRotation } from "./logs/rotate-logs.ts";
import { createNodeAgent, type NodeAgent } from "./node/node-agent.ts";
import type { NodeHealth } from "./node/node-conditions.ts";
import type { Node, NodeIdentity } from "./node/node-object.ts";
import type { KubeletParts, PodSource, ServedNode } from "./parts.ts";
import { podSource } from "./pod-source.ts";
import type { Dial } from "./probes/dial.ts";
import { networkDial } from "./probes/network-dial.ts";
import { createProbes } from "./probes/probes.ts";
import { createReferencedObjects } from "./references/referenced-objects.ts";
import { createServiceAccountTokens } from "./references/service-account-tokens.ts";
import type { PodRuntime } from "./runtime/pod-runtime.ts";
import { machineUsage } from "./server/node-usage.ts";
import { createStaticPods } from "./static-pods/static-pods.ts";
import type { SyncLog } from "./sync/sync-context.ts";
import { mounterOfThisProcess } from "./volumes/mounter.ts";
import { createPodVolumes } from "./volumes/pod-volumes.ts";
import { createPodManager, type PodManager } from "./workers/pod-manager.ts";

export interface KubeletOptions {
  /** As the node: `system:node:<name>`. */
  readonly client: Client;
  /** What the runtime says of itself is added. */
  readonly identity: Omit<NodeIdentity, "runtimeVersion" | "runtimeHandlers">;
  readonly runtime: PodRuntime;
  /** Probes and hooks; default: over the network of this machine. */
  readonly dial?: Dial;
  /** Absolute; where volumes and whatever else belongs to Pods is kept. */
  readonly rootDir: string;
  /** Absolute. */
  readonly logsDir: string;
  /** False where containers are played: then nothing is written to disks. Default: true. */
  readonly hasMachine?: boolean;
  readonly events: EventRecorder;
  readonly random: RandomSource;
  readonly log: SyncLog;
  readonly metrics?: MetricsRegistry;
  readonly thresholds: readonly Threshold[];
  readonly cgroupRoot?: string;
  readonly masterService?: MasterService;
  readonly clusterDns?: readonly string[];
  /** Absolute; a folder of Pods that the node runs by itself, or one such file. */
  readonly staticPods?: string;
  /** Others' than this node's own, where many nodes share what they follow. */
  readonly shared?: { readonly pods: PodSource };
}

export interface Kubelet {
  /** Resolves when the node is ready for Pods. */
  readonly ready: Promise<void>;
  readonly node: Node | undefined;
  /** For the kubelet's server. */
  readonly served: ServedNode;
  /** Until the signal is aborted. Containers go on when it ends. */
  run(signal: AbortSignal): Promise<void>;
}

/** What all Pods of a node need to know of. */
interface Followed {
  readonly services: Informer<coreV1.Service>;
  /** Of a RuntimeClass. */
  readonly handlerOf: (className: string) => string | undefined;
}

const answerRetryMs = 1_000;

export const createKubelet = (options: KubeletOptions): Kubelet => new NodeKubelet(options);

class NodeKubelet implements Kubelet {
  readonly ready: Promise<void>;
  readonly served: ServedNode;
  readonly #options: KubeletOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #metrics: MetricsRegistry;
  readonly #probeMetrics = new MetricsRegistry();
  #agent: NodeAgent | undefined;
  #manager: PodManager | undefined;
  #eviction: Eviction | undefined;
  #images: NodeImages | undefined;

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
      const agent = await this.#createAgent(all);
      const works = this.#works(agent, stack);
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

  async #createAgent(signal: AbortSignal): Promise<NodeAgent> {
    const { client, identity, runtime, events, random, log } = this.#options;
    const { name, version } = await this.#answer((own) => runtime.version(own), signal);
    const { handlers } = await this.#answer((own) => runtime.status(own), signal);
    const known = { ...identity, runtimeVersion: `${name}://${version}`, runtimeHandlers: handlers };
    const agent = createNodeAgent({ client, identity: known, runtime, events, random, log, health: () => this.#health() });
    this.#agent = agent;
    return agent;
  }

  /** Waits for the runtime to answer. */
  async #answer<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { client, log } = this.#options;
    for (;;) {
      try {
        return await call(signal);
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ error, againInMs: answerRetryMs }, "the container runtime does not answer");
        await sleep(client.clock, answerRetryMs, signal);
      }
    }
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
    const { client, identity, events, random, log, shared, hasMachine = true } = this.#options;
    const { clock } = client;
    // Ended Pods too: their containers are still to be looked after.
    const own = createInformer(client.resource(pods), { clock, fieldSelector: `spec.nodeName=${identity.name}`, log });
    const serviceInformer = createInformer(client.resource(services), { clock, log });
    const classes = createInformer(client.resource(runtimeClasses), { clock, log });
    const handlerOf = (name: string) => classes.lister.get({ name })?.handler;
    const parts = this.#parts(agent, { services: serviceInformer, handlerOf }, stack);
    const manager = createPodManager({
      nodeName: identity.name,
      client,
      pods: shared?.pods ?? podSource(own),
      parts,
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
    const machine = hasMachine ? this.#machineWorks(agent, manager) : [];
    return [
      (signal) => agent.run(signal),
      (signal) => manager.run(signal),
      (signal) => serviceInformer.run(signal),
      (signal) => classes.run(signal),
      ...(shared === undefined ? [(signal: AbortSignal) => own.run(signal)] : []),
      ...machine,
    ];
  }

  #staticPods() {
    const { client, identity, log, staticPods: path } = this.#options;
    return path === undefined ? {} : { staticPods: createStaticPods({ path, nodeName: identity.name, clock: client.clock, log }) };
  }

  #parts(agent: NodeAgent, { services, handlerOf }: Followed, stack: AsyncDisposableStack): KubeletParts {
    const { client, identity, runtime, rootDir, logsDir, events, random, log, hasMachine = true } = this.#options;
    const { clock } = client;
    const dial = this.#options.dial ?? networkDial(clock);
    const objects = stack.use(createReferencedObjects(client));
    const mounter = hasMachine ? mounterOfThisProcess() : undefined;
    const allocatable = () => agent.node?.status?.allocatable ?? {};
    const { cgroupRoot, masterService, clusterDns } = this.#options;
    this.#images = createImages({ runtime, objects, events, clock, ...(hasMachine ? { rootDir } : {}) });
    return {
      runtime,
      volumes: stack.use(
        createPodVolumes({
          rootDir,
          client,
          objects,
          tokens: createServiceAccountTokens(client, log),
          events,
          allocatable,
          changed: (uid) => this.#manager?.poke(uid),
          mounter,
          writesFiles: hasMachine,
        }),
      ),
      configs: createPodConfigs({
        rootDir,
        logsDir,
        objects,
        services,
        runtimeHandler: handlerOf,
        node: () => ({ hostIps: identity.machine.addresses, allocatable: allocatable(), memoryBytes: identity.machine.memoryBytes }),
        events,
        random,
        mounter,
        writesFiles: hasMachine,
        ...(cgroupRoot === undefined ? {} : { cgroupRoot }),
        ...(masterService === undefined ? {} : { masterService }),
        ...(clusterDns === undefined ? {} : { clusterDns }),
      }),
      images: this.#images,
      probes: stack.use(createProbes({ runtime, dial, clock, random, events, metrics: this.#probeMetrics })),
      hooks: createHooks({ runtime, dial, clock, events }),
    };
  }

  #machineWorks(agent: NodeAgent, manager: PodManager): readonly ((signal: AbortSignal) => Promise<void>)[] {
    const { client, runtime, rootDir, logsDir, thresholds, events, log, identity } = this.#options;
    const { clock } = client;
    const images = createImageGarbage({
      runtime,
      clock,
      events,
      node: () => agent.node,
      log,
      left: (ids) => this.#images?.records.keep(ids),
    });
    let knowsAll = false;
    const ready = (): void => {
      knowsAll = true;
    };
    manager.ready.then(ready, () => undefined);
    const isKnown = (uid: string): boolean => !knowsAll || manager.localPods.list().some(({ pod }) => pod.metadata?.uid === uid);
    const files = createFileGarbage({ runtime, clock, rootDir, logsDir, isKnown, log });
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
