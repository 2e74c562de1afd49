/**
 * The life of one Pod on its node: it runs, is ended, is cleared away. One step at a time, again whenever something has
 * changed; a Pod that begins to end never runs again.
 */
import type { RandomSource } from "@coxswain/machinery";
import { recordPodEvent } from "../events/record-events.ts";
import { retryMs } from "../kuberuntime/sync-pod.ts";
import { messageOf } from "../pod/message-of.ts";
import type { Pod } from "../pod/pod.ts";
import { initial, isDeleted, isTerminal, ordinary } from "../pod/pod-state.ts";
import { type Eviction, removeOld, removeRemains, settlePod, stopPod } from "./end-pod.ts";
import { concernsKubelet } from "./pod-change.ts";
import { PodStateError, type PodSyncStatus } from "./pod-sync-status.ts";
import { ResettableTimer } from "./resettable-timer.ts";
import { MountError, runPod } from "./run-pod.ts";

export interface WorkerOptions {
  readonly podSync: PodSyncStatus;
  readonly random: RandomSource;
  /** Its own: a signal to which all Pods of a node listen would be slow. Aborted with the kubelet, containers stay as they are. */
  readonly life: AbortController;
  /** Another Pod of this name is still here. */
  readonly isWaiting: boolean;
  /** It was refused: it never runs. */
  readonly isRejected: boolean;
  /** Its place is free. */
  readonly onStopped: () => void;
  /** Nothing of it is left, here or in the API. */
  readonly onGone: () => void;
}

type Stage = "waiting" | "running" | "ending" | "ended" | "settled" | "gone";

/** What the runtime tells after a step that failed may be of that step's own making: it is not followed at once. */
const calmMs = 1_000;
/** After so many steps in a row that found something to do, and two for each container, the runtime is not believed for a while. */
const maxInARow = 8;
const firstMountRetryMs = 500;
const maxMountRetryMs = 122_000;

export class PodWorker {
  readonly podSync: PodSyncStatus;
  readonly #options: WorkerOptions;
  #stage: Stage;
  /** The API has it no longer. */
  #isRemoved = false;
  #eviction: Eviction | undefined;
  #graceSeconds: number | undefined;
  #stopped: PromiseWithResolvers<void> | undefined;
  #isDirty = false;
  /** For another reason than what the runtime tells. */
  #isUrgent = false;
  #working: Promise<void> | undefined;
  /** Ends the step that is under way, where a later change makes it pointless. */
  #step: AbortController | undefined;
  readonly #alarm: ResettableTimer;
  #calmUntil = 0;
  #inARow = 0;
  #mountRetryMs = firstMountRetryMs;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.podSync = options.podSync;
    this.#alarm = new ResettableTimer(this.podSync.node.clock, () => this.#go());
    this.#stage = options.isRejected ? "ended" : options.isWaiting ? "waiting" : "running";
    options.life.signal.addEventListener("abort", this.#stop, { once: true });
    const { pod } = options.podSync;
    if (isDeleted(pod) || isTerminal(pod.status?.phase)) this.#end(pod.metadata?.deletionGracePeriodSeconds);
  }

  get pod(): Pod {
    return this.podSync.pod;
  }

  /** Ends with the worker. */
  get life(): AbortSignal {
    return this.#options.life.signal;
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** It may hold resources of the node. */
  get isActive(): boolean {
    return this.#stage === "running" || this.#stage === "ending" || this.#stage === "waiting";
  }

  /** Resolves when nothing is under way. */
  get idle(): Promise<void> {
    return this.#working ?? Promise.resolve();
  }

  /** Resolves when nothing of it runs any more. */
  get stopped(): Promise<void> {
    if (!this.isActive) return Promise.resolve();
    this.#stopped ??= Promise.withResolvers();
    return this.#stopped.promise;
  }

  /** Its containers have ended and will not start again, and what they have left is looked at by nobody who cannot wait. */
  get isOver(): boolean {
    return this.#stage === "settled";
  }

  /** Something about it may have changed, as the runtime or a probe says. */
  readonly poke = (): void => {
    if (this.#working !== undefined) this.#isDirty = true;
    else if (this.podSync.node.clock.now() >= this.#calmUntil) this.#go();
    else this.#alarm.setBy(this.#calmUntil);
  };

  /** At once, whatever was before. */
  #go(): void {
    if (this.#stage === "settled" || this.#stage === "gone" || this.#stage === "waiting") return;
    this.#isDirty = true;
    this.#isUrgent = true;
    this.#work();
  }

  /** The kubelet ends, or the Pod is gone: nothing more is done. */
  stop(reason: unknown): void {
    this.#options.life.abort(reason);
  }

  /** The name is free. */
  begin(): void {
    if (this.#stage !== "waiting") return;
    this.#stage = "running";
    this.#go();
  }

  /** What the API has of it now. */
  update(pod: Pod): void {
    const before = this.podSync.wanted;
    this.podSync.wanted = pod;
    this.podSync.writer?.observe(pod);
    if (!concernsKubelet(before, pod)) return;
    this.podSync.retryTimes.clear();
    if (this.#stage === "waiting" && isDeleted(pod)) this.#stage = "running";
    if (isDeleted(pod) || isTerminal(pod.status?.phase)) this.#end(pod.metadata?.deletionGracePeriodSeconds);
    this.#go();
  }

  /** The API has it no longer: nobody is told what becomes of it. */
  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.podSync.writer?.[Symbol.dispose]();
    if (this.#stage === "settled" || this.#stage === "waiting") this.#stage = "ended";
    this.#end(this.pod.metadata?.deletionGracePeriodSeconds ?? this.pod.spec?.terminationGracePeriodSeconds);
    this.#go();
  }

  /** Ends it, as failed. */
  evict(eviction: Eviction): void {
    this.#eviction = eviction;
    // Its name is still another's, but it will not need it.
    if (this.#stage === "waiting") this.#stage = "running";
    this.#end(eviction.graceSeconds);
    this.#go();
  }

  /** From now on it ends; a shorter grace takes the place of a longer one. */
  #end(graceSeconds: number | undefined): void {
    const before = this.#graceSeconds ?? this.pod.spec?.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY;
    const asked = graceSeconds === undefined ? undefined : Math.max(1, graceSeconds);
    const isShorter = asked !== undefined && asked < before;
    if (asked !== undefined) this.#graceSeconds = this.#stage === "ending" ? Math.min(asked, before) : asked;
    if (this.#stage === "running") this.#stage = "ending";
    else if (this.#stage !== "ending" || !isShorter) return;
    this.#step?.abort(new Error("the Pod is to end"));
  }

  #work(): void {
    if (this.#working !== undefined || this.#options.life.signal.aborted) return;
    this.#working = this.#workOn().finally(() => {
      this.#working = undefined;
      if (this.#isDirty) this.#work();
    });
  }

  /** Never rejects. */
  async #workOn(): Promise<void> {
    while (this.#isDirty && !this.#options.life.signal.aborted) {
      this.#isDirty = false;
      this.#isUrgent = false;
      this.#alarm.set(undefined);
      const step = new AbortController();
      this.#step = step;
      try {
        await this.#doStep(step.signal);
        this.#mountRetryMs = firstMountRetryMs;
      } catch (error) {
        if (this.#options.life.signal.aborted) return;
        if (!step.signal.aborted) return this.#failed(error);
        this.#isDirty = true;
      } finally {
        this.#step = undefined;
      }
    }
  }

  async #doStep(syncSignal: AbortSignal): Promise<void> {
    const { podSync } = this;
    const { signal } = this.#options.life;
    switch (this.#stage) {
      case "running":
        return this.#run(syncSignal);
      case "ending": {
        const grace = this.#graceSeconds === undefined ? {} : { graceSeconds: this.#graceSeconds };
        await stopPod(podSync, { ...grace, eviction: this.#eviction, changed: this.poke }, syncSignal);
        this.#stage = "ended";
        this.#isDirty = true;
        this.#stopped?.resolve();
        this.#options.onStopped();
        return;
      }
      case "ended":
        await settlePod(podSync, signal);
        if (!this.#isRemoved) {
          this.#stage = "settled";
          return;
        }
        await removeRemains(podSync.node, podSync.identity, await podSync.refreshState(signal), signal);
        this.#dispose();
        return this.#options.onGone();
      case "waiting":
      case "settled":
      case "gone":
    }
  }

  async #run(syncSignal: AbortSignal): Promise<void> {
    const { signal } = this.#options.life;
    const outcome = await runPod(this.podSync, { signal, syncSignal, changed: this.poke });
    switch (outcome.kind) {
      case "over":
        this.#end(undefined);
        this.#isDirty = true;
        return;
      case "again":
        if (++this.#inARow > maxInARow + 2 * containersOf(this.pod))
          throw new Error("the runtime does not keep what it says that it has done");
        this.#isDirty = true;
        return;
      case "settled":
        this.#inARow = 0;
        await this.#removeOld(signal);
        this.#alarm.set(outcome.syncAt);
    }
  }

  /** What is left of it costs room alone. */
  async #removeOld(signal: AbortSignal): Promise<void> {
    const { node, state, pod } = this.podSync;
    await removeOld(node, state, signal).catch((error: unknown) => {
      if (!signal.aborted) node.log.warn({ error, pod: pod.metadata?.name }, "containers that have ended cannot be removed");
    });
  }

  #failed(error: unknown): void {
    const { node, pod } = this.podSync;
    const { random } = this.#options;
    const pauseMs = error instanceof MountError ? this.#mountRetryMs : retryMs;
    if (error instanceof MountError) this.#mountRetryMs = Math.min(2 * this.#mountRetryMs, maxMountRetryMs);
    node.log.warn({ error, pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, stage: this.#stage }, "a Pod cannot be synced");
    if (!this.#isRemoved && error instanceof PodStateError)
      recordPodEvent(node, pod, { type: "Warning", reason: "FailedSync", message: `error determining status: ${messageOf(error)}` });
    this.#inARow = 0;
    this.#alarm.set(node.clock.now() + pauseMs * (1 + random.next() / 2));
    this.#calm();
  }

  /** What the runtime has told meanwhile is looked at a little later. */
  #calm(): void {
    this.#calmUntil = this.podSync.node.clock.now() + calmMs;
    if (this.#isUrgent || !this.#isDirty) return;
    this.#isDirty = false;
    this.#alarm.setBy(this.#calmUntil);
  }

  readonly #stop = (): void => {
    this.#alarm.set(undefined);
    this.#step?.abort(this.#options.life.signal.reason);
  };

  #dispose(): void {
    this.#stage = "gone";
    this.stop(new Error("the Pod is gone"));
    this.podSync.node.dependencies.probes.removePod(this.podSync.uid);
  }
}

const containersOf = (pod: Pod): number => initial(pod).length + ordinary(pod).length;
