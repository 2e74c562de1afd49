/**
 * Pods without a node: those to be tried now, in order; those that pause after an attempt; and those that were refused and
 * wait for something to happen that could help.
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-scheduling/scheduler_queues.md
 */
import { type Clock, steadyClock } from "@coxswain/machinery";
import { newPodInfo, refreshPodInfo } from "../framework/new-pod-info.ts";
import type { SchedulerPlugin } from "../framework/plugin.ts";
import type { Pod, PodInfo } from "../framework/pod-info.ts";
import type { SchedulerMetrics } from "../metrics.ts";
import { BackoffQueue } from "./backoff.ts";
import { type ClusterChange, labelOf, podActions } from "./cluster-change.ts";
import { Heap } from "./heap.ts";
import { InFlight } from "./in-flight.ts";
import { Nominator } from "./nominator.ts";
import { UnschedulablePods } from "./unschedulable-pods.ts";
import { WaitingPod } from "./waiting-pod.ts";
import { isInteresting, type PluginsByName, type Worth, worthTrying } from "./worth-trying.ts";

export interface QueueProfile {
  readonly plugins: PluginsByName;
  readonly preEnqueue: readonly SchedulerPlugin[];
}

export interface QueueOptions {
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
  readonly less: (a: WaitingPod, b: WaitingPod) => boolean;
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
  readonly #pods = new Map<string, WaitingPod>();
  readonly #active: Heap<WaitingPod>;
  readonly #backoff: BackoffQueue;
  readonly #unschedulable: UnschedulablePods;
  readonly #inFlight = new InFlight();
  /** Uids of Pods to be activated that are just being tried. */
  readonly #forced = new Set<string>();
  #wake: (() => void) | undefined;

  constructor(options: QueueOptions) {
    // Pauses are to last as long as they should.
    const clock = steadyClock(options.clock);
    const { less, initialBackoffMs = 1_000, maxBackoffMs = 10_000, maxUnschedulableMs = 300_000 } = options;
    this.#options = { ...options, clock };
    this.#active = new Heap(less);
    const onOver = (waiting: WaitingPod): void => this.#activate(waiting, "BackoffComplete", false);
    this.#unschedulable = new UnschedulablePods(clock, maxUnschedulableMs, (waiting) => {
      waiting.flushed = true;
      this.#place(waiting, "afterPause", "UnschedulableTimeout");
    });
    this.#backoff = new BackoffQueue({ clock, less, initialMs: initialBackoffMs, maxMs: maxBackoffMs, onOver });
  }

  get sizes() {
    const { unschedulable, gated } = this.#unschedulable.sizes;
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable, gated, inFlightEvents: this.#inFlight.changes };
  }

  find(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid);
  }

  /** Lets go of all timers. */
  close(): void {
    this.#backoff.close();
    this.#unschedulable.close();
  }

  add(pod: Pod): void {
    const waiting = new WaitingPod(newPodInfo(pod), this.#options.clock.now());
    if (this.#pods.has(waiting.pod.uid)) return;
    this.#pods.set(waiting.pod.uid, waiting);
    this.#activate(waiting, "UnschedulablePodAdd");
    this.nominator.set(waiting.pod);
  }

  update(before: Pod, after: Pod): void {
    const waiting = this.#pods.get(after.metadata?.uid ?? "");
    if (waiting === undefined) return void this.add(after);
    const changes = podActions(before, after).map((action): ClusterChange => ({ resource: "UnscheduledPod", action, before, after }));
    if (!refreshPodInfo(waiting.pod, after)) waiting.pod = newPodInfo(after);
    this.nominator.update(before, waiting.pod);
    switch (waiting.place) {
      case "active":
        return void this.#active.moved(waiting);
      case "backoff":
      case "errorBackoff":
        return void this.#backoff.moved(waiting);
      case "inFlight":
        for (const change of changes) this.#inFlight.note(change);
        return;
      default:
        for (const change of changes) if (waiting.place === "unschedulable") this.#retry(waiting, change);
    }
  }

  delete(uid: string): void {
    this.nominator.delete(uid);
    const waiting = this.#pods.get(uid);
    if (waiting === undefined) return;
    this.#pods.delete(uid);
    if (waiting.place !== "inFlight") this.#countRefusals(waiting, -1);
    this.#takeOut(waiting);
  }

  /** The next Pod to be tried. What happens from now on is kept for it until `done` or `refused`. */
  pop(): WaitingPod | undefined {
    let waiting = this.#active.pop();
    if (waiting === undefined) {
      waiting = this.#backoff.pop();
      if (waiting === undefined) return undefined;
      this.#options.metrics.queued("active", "PopFromBackoffQ");
    }
    waiting.attempts++;
    waiting.place = "inFlight";
    this.#countRefusals(waiting, -1);
    this.#inFlight.begin(waiting.pod.uid);
    return waiting;
  }

  /** Resolves when `pop` may have something, or the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (this.#active.size === 0 && !this.#backoff.hasRefused && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
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
    const waiting = this.#pods.get(uid);
    if (waiting?.place !== "inFlight") return;
    waiting.place = "nowhere";
    this.#pods.delete(uid);
  }

  /** An attempt has failed: the Pod, as it is now, waits again. Who has refused it stands in `waiting`. */
  putBack(waiting: WaitingPod, pod: Pod): void {
    const { uid } = waiting.pod;
    if (!refreshPodInfo(waiting.pod, pod)) waiting.pod = newPodInfo(pod);
    const missed = this.#inFlight.missedBy(uid);
    const isForced = this.#forced.delete(uid);
    this.#inFlight.end(uid);
    const other = this.#pods.get(uid);
    // It was bound for a while, or so it seemed, and the informer has told of it again.
    if (other !== undefined && other !== waiting) return;
    this.#pods.set(uid, waiting);
    const refused = waiting.refusedBy.size + waiting.pendingOn.size > 0;
    if (refused) waiting.refusals++;
    waiting.errors = refused ? 0 : waiting.errors + 1;
    waiting.queuedAt = this.#options.clock.now();
    waiting.backoffUntil = undefined;
    waiting.flushed = false;
    this.#countRefusals(waiting, 1);
    this.#place(waiting, refused && !isForced ? this.#worthOf(waiting, missed) : "afterPause", "ScheduleAttemptFailure");
  }

  /** Something has happened: whom it may help is tried again. `only` chooses among the Pods. */
  move(change: ClusterChange, only?: (pod: PodInfo) => boolean): void {
    for (const waiting of this.#unschedulable) if (only?.(waiting.pod) !== false) this.#retry(waiting, change);
    this.#inFlight.note(change);
  }

  /** Tries a Pod at once, whatever it waits for. */
  activate(uid: string): void {
    const waiting = this.#pods.get(uid);
    if (waiting === undefined || waiting.place === "active") return;
    if (waiting.place === "inFlight") this.#forced.add(uid);
    else this.#activate(waiting, "ForceActivate", waiting.place === "unschedulable");
  }

  #retry(waiting: WaitingPod, change: ClusterChange): void {
    const profile = this.#profileOf(waiting);
    if (waiting.gatedBy !== undefined && !isInteresting(profile.plugins.get(waiting.gatedBy), change)) return;
    const worth = worthTrying(waiting, change, profile.plugins);
    if (worth !== "no") this.#place(waiting, worth, labelOf(change));
  }

  #worthOf(waiting: WaitingPod, missed: readonly ClusterChange[]): Worth {
    const { plugins } = this.#profileOf(waiting);
    let best: Worth = "no";
    for (const change of missed) {
      // What happens to another Pod that waits helps nobody else.
      if (change.resource === "UnscheduledPod" && change.after?.metadata?.uid !== waiting.pod.uid) continue;
      const worth = worthTrying(waiting, change, plugins);
      if (worth === "now") return worth;
      if (worth === "afterPause") best = worth;
      if (best === "afterPause" && waiting.pendingOn.size === 0) return best;
    }
    return best;
  }

  #place(waiting: WaitingPod, worth: Worth, event: string): void {
    if (worth === "no") return void this.#park(waiting, event);
    if (worth === "now" || !this.#backoff.isWaiting(waiting)) return void this.#activate(waiting, event);
    if (!this.#isFree(waiting)) return void this.#park(waiting, event);
    this.#takeOut(waiting);
    this.#backoff.add(waiting);
    this.#options.metrics.queued("backoff", event);
    this.#tell();
  }

  #activate(waiting: WaitingPod, event: string, check = true): void {
    if (check && !this.#isFree(waiting)) return void this.#park(waiting, event);
    this.#takeOut(waiting);
    waiting.firstTriedAt ??= this.#options.clock.now();
    waiting.place = "active";
    this.#active.push(waiting);
    this.#options.metrics.queued("active", event);
    this.#tell();
  }

  #park(waiting: WaitingPod, event: string): void {
    if (waiting.place === "unschedulable") return;
    this.#takeOut(waiting);
    this.#unschedulable.add(waiting);
    this.#options.metrics.queued("unschedulable", event);
  }

  #takeOut(waiting: WaitingPod): void {
    switch (waiting.place) {
      case "active":
        this.#active.delete(waiting);
        break;
      case "backoff":
      case "errorBackoff":
        if (waiting.heapAt >= 0) this.#backoff.delete(waiting);
        break;
      case "unschedulable":
        this.#unschedulable.delete(waiting);
    }
    waiting.place = "nowhere";
  }

  /** Whether no gate holds the Pod; otherwise who does is noted. */
  #isFree(waiting: WaitingPod): boolean {
    for (const plugin of this.#profileOf(waiting).preEnqueue) {
      if (plugin.preEnqueue?.(waiting.pod) === undefined) continue;
      if (!waiting.refusedBy.has(plugin.name)) {
        this.#options.metrics.unschedulable(plugin.name, waiting.schedulerName, 1);
        waiting.refusedBy = new Set([...waiting.refusedBy, plugin.name]);
      }
      waiting.gatedBy = plugin.name;
      return false;
    }
    waiting.gatedBy = undefined;
    return true;
  }

  #countRefusals(waiting: WaitingPod, by: 1 | -1): void {
    for (const plugin of waiting.refusedBy) this.#options.metrics.unschedulable(plugin, waiting.schedulerName, by);
    for (const plugin of waiting.pendingOn) this.#options.metrics.unschedulable(plugin, waiting.schedulerName, by);
  }

  #profileOf({ schedulerName }: WaitingPod): QueueProfile {
    return this.#options.profiles.get(schedulerName) ?? noProfile;
  }

  #tell(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

const noProfile: QueueProfile = { plugins: new Map(), preEnqueue: [] };
