/**
 * Pods without a node: those to be tried now, in order; those that pause after an attempt; and those that were refused and
 * wait for something to happen that could help.
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-scheduling/scheduler_queues.md
 */
import { type Clock, steadyClock } from "@coxswain/machinery";
import { newPodInfo, refreshPodInfo } from "../framework/new-pod-info.ts";
import type { SchedulerPlugin } from "../framework/plugin.ts";
import type { Pod, PodInfo } from "../framework/pod-info.ts";
import type { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import { BackoffQueue } from "./backoff-queue.ts";
import { type ClusterChange, labelOf, podActions } from "./cluster-change.ts";
import { Heap } from "./heap.ts";
import { InFlightEvents } from "./in-flight-events.ts";
import { Nominator } from "./nominator.ts";
import { QueuedPod } from "./queued-pod.ts";
import { isInteresting, isPodWorthRequeuing, type PluginsByName, type QueueingStrategy } from "./queueing-hint.ts";
import { UnschedulablePods } from "./unschedulable-pods.ts";

export interface QueueProfile {
  readonly plugins: PluginsByName;
  readonly preEnqueue: readonly SchedulerPlugin[];
}

export interface QueueOptions {
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
  /** By schedulerName. */
  readonly profiles: ReadonlyMap<string, QueueProfile>;
  /** Default: 1,000. */
  readonly initialBackoffMs?: number | undefined;
  /** Default: 10,000. */
  readonly maxBackoffMs?: number | undefined;
  /** So long a refused Pod waits for something to happen before it is tried all the same. Default: 300,000. */
  readonly maxUnschedulableMs?: number | undefined;
}

export class SchedulingQueue {
  readonly nominator = new Nominator();
  readonly #options: QueueOptions;
  /** All but those that are nowhere, by uid. */
  readonly #pods = new Map<string, QueuedPod>();
  readonly #activeQ: Heap<QueuedPod>;
  readonly #backoffQ: BackoffQueue;
  readonly #unschedulablePods: UnschedulablePods;
  readonly #inFlight = new InFlightEvents();
  /** Uids of Pods to be activated that are just being tried. */
  readonly #forced = new Set<string>();
  #wakeReady: (() => void) | undefined;

  constructor(options: QueueOptions) {
    // Pauses are to last as long as they should.
    const clock = steadyClock(options.clock);
    const { less, initialBackoffMs = 1_000, maxBackoffMs = 10_000, maxUnschedulableMs = 300_000 } = options;
    this.#options = { ...options, clock };
    this.#activeQ = new Heap(less);
    const onOver = (queued: QueuedPod): void => this.#moveToActiveQ(queued, "BackoffComplete", false);
    this.#unschedulablePods = new UnschedulablePods(clock, maxUnschedulableMs, (queued) => {
      queued.flushed = true;
      this.#requeue(queued, "afterBackoff", "UnschedulableTimeout");
    });
    this.#backoffQ = new BackoffQueue({ clock, less, initialMs: initialBackoffMs, maxMs: maxBackoffMs, onOver });
  }

  get sizes() {
    const { unschedulable, gated } = this.#unschedulablePods.sizes;
    return { active: this.#activeQ.size, backoff: this.#backoffQ.size, unschedulable, gated, inFlightEvents: this.#inFlight.changes };
  }

  find(uid: string): QueuedPod | undefined {
    return this.#pods.get(uid);
  }

  /** Lets go of all timers. */
  close(): void {
    this.#backoffQ.close();
    this.#unschedulablePods.close();
  }

  add(pod: Pod): void {
    const queued = new QueuedPod(newPodInfo(pod), this.#options.clock.now());
    if (this.#pods.has(queued.pod.uid)) return;
    this.#pods.set(queued.pod.uid, queued);
    this.#moveToActiveQ(queued, "UnschedulablePodAdd");
    this.nominator.set(queued.pod);
  }

  update(before: Pod, after: Pod): void {
    const queued = this.#pods.get(after.metadata?.uid ?? "");
    if (queued === undefined) return void this.add(after);
    const changes = podActions(before, after).map((action): ClusterChange => ({ resource: "UnscheduledPod", action, before, after }));
    if (!refreshPodInfo(queued.pod, after)) queued.pod = newPodInfo(after);
    this.nominator.update(before, queued.pod);
    switch (queued.queue) {
      case "active":
        return void this.#activeQ.moved(queued);
      case "backoff":
      case "errorBackoff":
        return void this.#backoffQ.moved(queued);
      case "inFlight":
        for (const change of changes) this.#inFlight.add(change);
        return;
      default:
        for (const change of changes) if (queued.queue === "unschedulable") this.#requeueIfWorth(queued, change);
    }
  }

  delete(uid: string): void {
    this.nominator.delete(uid);
    const queued = this.#pods.get(uid);
    if (queued === undefined) return;
    this.#pods.delete(uid);
    if (queued.queue !== "inFlight") this.#countUnschedulable(queued, -1);
    this.#remove(queued);
  }

  /** The next Pod to be tried. What happens from now on is kept for it until `done` or `refused`. */
  pop(): QueuedPod | undefined {
    let queued = this.#activeQ.pop();
    if (queued === undefined) {
      queued = this.#backoffQ.pop();
      if (queued === undefined) return undefined;
      this.#options.metrics.queued("active", "PopFromBackoffQ");
    }
    queued.attempts++;
    queued.queue = "inFlight";
    this.#countUnschedulable(queued, -1);
    this.#inFlight.begin(queued.pod.uid);
    return queued;
  }

  /** Resolves when `pop` may have something, or the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (this.#activeQ.size === 0 && !this.#backoffQ.hasRefused && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wakeReady = resolve;
      const onAbort = (): void => resolve();
      signal.addEventListener("abort", onAbort, { once: true });
      await promise;
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The attempt has found a node; whatever happened meanwhile is of no interest. */
  done(uid: string): void {
    this.#inFlight.end(uid);
    this.#forced.delete(uid);
    const queued = this.#pods.get(uid);
    if (queued?.queue !== "inFlight") return;
    queued.queue = "none";
    this.#pods.delete(uid);
  }

  /** An attempt has failed: the Pod, as it is now, waits again. Who has refused it stands in `queued`. */
  addUnschedulableIfNotPresent(queued: QueuedPod, pod: Pod): void {
    const { uid } = queued.pod;
    if (!refreshPodInfo(queued.pod, pod)) queued.pod = newPodInfo(pod);
    const missed = this.#inFlight.missedBy(uid);
    const isForced = this.#forced.delete(uid);
    this.#inFlight.end(uid);
    const other = this.#pods.get(uid);
    // It was bound or assumed for a while, and the informer has reported it again.
    if (other !== undefined && other !== queued) return;
    this.#pods.set(uid, queued);
    const refused = queued.unschedulablePlugins.size + queued.pendingPlugins.size > 0;
    if (refused) queued.unschedulableCount++;
    queued.consecutiveErrorsCount = refused ? 0 : queued.consecutiveErrorsCount + 1;
    queued.queuedAt = this.#options.clock.now();
    queued.backoffExpiration = undefined;
    queued.flushed = false;
    this.#countUnschedulable(queued, 1);
    this.#requeue(queued, refused && !isForced ? this.#queueingStrategyOf(queued, missed) : "afterBackoff", "ScheduleAttemptFailure");
  }

  /** Requeues the Pods that a change may make schedulable. `only` chooses among the Pods. */
  moveAllToActiveOrBackoffQueue(change: ClusterChange, only?: (pod: PodInfo) => boolean): void {
    for (const queued of this.#unschedulablePods) if (only?.(queued.pod) !== false) this.#requeueIfWorth(queued, change);
    this.#inFlight.add(change);
  }

  /** Tries a Pod at once, whatever it waits for. */
  activate(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued === undefined || queued.queue === "active") return;
    if (queued.queue === "inFlight") this.#forced.add(uid);
    else this.#moveToActiveQ(queued, "ForceActivate", queued.queue === "unschedulable");
  }

  #requeueIfWorth(queued: QueuedPod, change: ClusterChange): void {
    const profile = this.#profileOf(queued);
    if (queued.gatingPlugin !== undefined && !isInteresting(profile.plugins.get(queued.gatingPlugin), change)) return;
    const strategy = isPodWorthRequeuing(queued, change, profile.plugins);
    if (strategy !== "skip") this.#requeue(queued, strategy, labelOf(change));
  }

  #queueingStrategyOf(queued: QueuedPod, missed: readonly ClusterChange[]): QueueingStrategy {
    const { plugins } = this.#profileOf(queued);
    let best: QueueingStrategy = "skip";
    for (const change of missed) {
      // A change of an unscheduled Pod makes no other Pod schedulable.
      if (change.resource === "UnscheduledPod" && change.after?.metadata?.uid !== queued.pod.uid) continue;
      const strategy = isPodWorthRequeuing(queued, change, plugins);
      if (strategy === "immediately") return strategy;
      if (strategy === "afterBackoff") best = strategy;
      if (best === "afterBackoff" && queued.pendingPlugins.size === 0) return best;
    }
    return best;
  }

  #requeue(queued: QueuedPod, strategy: QueueingStrategy, event: string): void {
    if (strategy === "skip") return void this.#moveToUnschedulablePods(queued, event);
    if (strategy === "immediately" || !this.#backoffQ.isWaiting(queued)) return void this.#moveToActiveQ(queued, event);
    if (!this.#passesPreEnqueue(queued)) return void this.#moveToUnschedulablePods(queued, event);
    this.#remove(queued);
    this.#backoffQ.add(queued);
    this.#options.metrics.queued("backoff", event);
    this.#wakeUp();
  }

  #moveToActiveQ(queued: QueuedPod, event: string, check = true): void {
    if (check && !this.#passesPreEnqueue(queued)) return void this.#moveToUnschedulablePods(queued, event);
    this.#remove(queued);
    queued.initialAttemptAt ??= this.#options.clock.now();
    queued.queue = "active";
    this.#activeQ.push(queued);
    this.#options.metrics.queued("active", event);
    this.#wakeUp();
  }

  #moveToUnschedulablePods(queued: QueuedPod, event: string): void {
    if (queued.queue === "unschedulable") return;
    this.#remove(queued);
    this.#unschedulablePods.add(queued);
    this.#options.metrics.queued("unschedulable", event);
  }

  #remove(queued: QueuedPod): void {
    switch (queued.queue) {
      case "active":
        this.#activeQ.delete(queued);
        break;
      case "backoff":
      case "errorBackoff":
        if (queued.heapAt >= 0) this.#backoffQ.delete(queued);
        break;
      case "unschedulable":
        this.#unschedulablePods.delete(queued);
    }
    queued.queue = "none";
  }

  /** Whether no gate holds the Pod; otherwise who does is noted. */
  #passesPreEnqueue(queued: QueuedPod): boolean {
    for (const plugin of this.#profileOf(queued).preEnqueue) {
      if (plugin.preEnqueue?.(queued.pod) === undefined) continue;
      if (!queued.unschedulablePlugins.has(plugin.name)) {
        this.#options.metrics.unschedulable(plugin.name, queued.schedulerName, 1);
        queued.unschedulablePlugins = new Set([...queued.unschedulablePlugins, plugin.name]);
      }
      queued.gatingPlugin = plugin.name;
      return false;
    }
    queued.gatingPlugin = undefined;
    return true;
  }

  #countUnschedulable(queued: QueuedPod, by: 1 | -1): void {
    for (const plugin of queued.unschedulablePlugins) this.#options.metrics.unschedulable(plugin, queued.schedulerName, by);
    for (const plugin of queued.pendingPlugins) this.#options.metrics.unschedulable(plugin, queued.schedulerName, by);
  }

  #profileOf({ schedulerName }: QueuedPod): QueueProfile {
    return this.#options.profiles.get(schedulerName) ?? noProfile;
  }

  #wakeUp(): void {
    this.#wakeReady?.();
    this.#wakeReady = undefined;
  }
}

const noProfile: QueueProfile = { plugins: new Map(), preEnqueue: [] };
