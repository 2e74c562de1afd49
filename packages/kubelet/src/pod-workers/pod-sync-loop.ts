/** All Pods of one node: which run, which wait or end, and what is left over of others. */

import { gaugePods, podMetrics } from "../metrics/pod-metrics.ts";
import { watchPodLifecycle } from "../pleg/pod-lifecycle-events.ts";
import type { LocalPods } from "../pod/local-pods.ts";
import type { Pod } from "../pod/pod.ts";
import { waitForRuntime } from "../runtime/wait-for-runtime.ts";
import { removeOrphans } from "./orphans.ts";
import type { Eviction } from "./pod-eviction.ts";
import type { PodSyncLoopOptions } from "./pod-sync-loop-options.ts";
import type { NodeContext } from "./pod-sync-status.ts";
import { PodWorkers } from "./pod-workers.ts";

/** The sync loop hands each Pod of a node, from the API and from files, to its worker. */
export interface PodSyncLoop {
  /** Until the signal is aborted. Containers go on when it ends. */
  run(signal: AbortSignal): Promise<void>;
  readonly localPods: LocalPods;
  /** Looks at a Pod again: what its volumes show may have changed. */
  poke(podUid: string): void;
  /** Ends a Pod for good, as failed. Resolves when its containers have ended. @throws when that takes too long */
  evict(pod: Pod, why: Eviction): Promise<void>;
  /** Removes the containers of Pods that have ended, whose logs would otherwise be kept. */
  collectGarbage(signal: AbortSignal): Promise<void>;
  /** Resolves when all Pods of the node are known and looked after. */
  readonly ready: Promise<void>;
}

/** So often orphaned Pods are cleaned up. */
const housekeepingMs = 60_000;

/** Makes the loop that runs the Pods of one node; nothing happens before it runs. */
export const createPodSyncLoop = (options: PodSyncLoopOptions): PodSyncLoop => new NodePodSyncLoop(options);

class NodePodSyncLoop implements PodSyncLoop {
  readonly ready: Promise<void>;
  readonly localPods: LocalPods = {
    list: () => this.#podWorkers?.local() ?? [],
    find: (namespace, name, uid) => this.#podWorkers?.find(namespace, name, uid),
  };
  readonly #options: PodSyncLoopOptions;
  readonly #ready = Promise.withResolvers<void>();
  #podWorkers: PodWorkers | undefined;

  constructor(options: PodSyncLoopOptions) {
    this.#options = options;
    this.ready = this.#ready.promise;
    // Who does not wait for it need not handle that it never comes.
    this.ready.catch(() => undefined);
  }

  poke(podUid: string): void {
    this.#podWorkers?.poke(podUid);
  }

  async evict(pod: Pod, why: Eviction): Promise<void> {
    await this.#podWorkers?.evict(pod.metadata?.uid ?? "", why);
  }

  async collectGarbage(signal: AbortSignal): Promise<void> {
    await this.#podWorkers?.collectGarbage(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      const node = await this.#meetRuntime(signal);
      const running = await this.#running(signal);
      const podWorkers = new PodWorkers(this.#options, node, signal);
      this.#podWorkers = podWorkers;
      const { staticPods } = this.#options;
      if (staticPods !== undefined) podWorkers.setStaticPods(await staticPods.read());
      await Promise.all([
        watchPodLifecycle(node, (uid) => podWorkers.poke(uid), signal),
        staticPods?.watch((pods) => podWorkers.setStaticPods(pods), signal),
        this.#followApi(node, podWorkers, running, signal),
      ]);
      await podWorkers.idle();
    } catch (error) {
      this.#ready.reject(error);
      if (!signal.aborted) throw error;
    }
  }

  /** Until the source has reported its Pods it is unknown what is left over of others. */
  async #followApi(node: NodeContext, podWorkers: PodWorkers, running: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { pods, registered, metrics } = this.#options;
    await unlessAborted(Promise.all([pods.synced, registered]), signal);
    using _gauges = gaugePods(metrics, () => podWorkers.local().map(({ containers }) => containers));
    podWorkers.begin(pods.list(), running);
    using _ = pods.subscribe((ref, pod) => podWorkers.see(ref, pod));
    this.#ready.resolve();
    await this.#keepHouse(node, podWorkers, signal);
  }

  async #meetRuntime(signal: AbortSignal): Promise<NodeContext> {
    const { client, dependencies, events, log, addresses, node, metrics, networkProblem } = this.#options;
    const { name } = await waitForRuntime({ dependencies, clock: client.clock, log }, signal, (runtime, own) => runtime.version(own));
    const supportsRecursiveReadOnly = () =>
      node()?.status?.runtimeHandlers?.some(({ name: handler = "", features }) => handler === "" && features?.recursiveReadOnlyMounts) ===
      true;
    const neighbours = (uid: string) => this.#podWorkers?.active(uid) ?? [];
    return {
      dependencies,
      clock: client.clock,
      events,
      log,
      runtimeName: name,
      hostIps: addresses,
      supportsRecursiveReadOnly,
      node,
      neighbours,
      networkProblem,
      metrics: podMetrics(metrics),
    };
  }

  /** Uids of the Pods of which the runtime has something. */
  async #running(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { client, dependencies, log } = this.#options;
    const context = { dependencies, clock: client.clock, log };
    const sandboxes = await waitForRuntime(context, signal, (runtime, own) => runtime.listPodSandboxes(own));
    return new Set(sandboxes.map(({ pod }) => pod.uid));
  }

  async #keepHouse(node: NodeContext, podWorkers: PodWorkers, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await removeOrphans(node, (uid) => podWorkers.isKnown(uid), signal).catch((error: unknown) => {
        if (!signal.aborted) node.log.warn({ error }, "failed to list what is left of Pods that are gone");
      });
      await pause(node, signal);
    }
  }
}

/** What the promise resolves with; rejects with the signal's reason when that is aborted first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Upkeep: no process lives on for its sake. */
function pause({ clock }: NodeContext, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.schedule(housekeepingMs, done);
    timer.unref();
    signal.addEventListener("abort", done, { once: true });
  });
}
