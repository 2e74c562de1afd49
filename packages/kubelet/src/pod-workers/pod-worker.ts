/**
 * The life of one Pod on its node: it syncs, terminates, is cleared away. One step at a time, again whenever something has
 * changed. What follows from what is `transition`'s; here it is carried out.
 */
import { messageOf, type RandomSource } from "@coxswain/machinery";
import { recordPodEvent } from "../events/record-events.ts";
import type { Pod } from "../pod/pod.ts";
import { initial, isDeleted, isTerminal, ordinary } from "../pod/pod-state.ts";
import { removeOld, removeRemains, settlePod, stopPod } from "./end-pod.ts";
import { concernsKubelet } from "./pod-change.ts";
import type { Eviction } from "./pod-eviction.ts";
import { PodStateError, type PodSyncStatus } from "./pod-sync-status.ts";
import { isActive, isDue, type PodWorkerEffect, type PodWorkerEvent, type PodWorkerState, type StepEvent } from "./pod-worker-state.ts";
import { initialState, transition } from "./pod-worker-transition.ts";
import { ResettableTimer } from "./resettable-timer.ts";
import { MountError, runPod } from "./run-pod.ts";

export interface WorkerOptions {
  readonly podSync: PodSyncStatus;
  readonly random: RandomSource;
  /** Its own: a signal to which all Pods of a node listen would be slow. Aborted with the kubelet, containers stay as they are. */
  readonly life: AbortController;
  /** Another Pod of this name is still here. */
  readonly isWaiting: boolean;
  /** It was rejected: it never runs. */
  readonly isRejected: boolean;
  /** Its place is free. */
  readonly onStopped: () => void;
  /** Nothing of it is left, here or in the API. */
  readonly onGone: () => void;
}

/** After so many steps in a row that found something to do, and two for each container, the runtime is not believed for a while. */
const maxActs = 8;

export class PodWorker {
  readonly podSync: PodSyncStatus;
  readonly #options: WorkerOptions;
  readonly #timer: ResettableTimer;
  #state: PodWorkerState;
  #stopped: PromiseWithResolvers<void> | undefined;
  #working: Promise<void> | undefined;
  /** Ends the step that is under way, where a later change makes it pointless. */
  #step: AbortController | undefined;

  constructor(options: WorkerOptions) {
    const { podSync, isWaiting, isRejected, life } = options;
    this.#options = options;
    this.podSync = podSync;
    this.#timer = new ResettableTimer(podSync.node.clock, () => this.#dispatch({ type: "timerFired" }));
    const isEnding = isDeleted(podSync.pod) || isTerminal(podSync.pod.status?.phase);
    const graceSeconds = podSync.pod.metadata?.deletionGracePeriodSeconds;
    this.#state = initialState({ isWaiting, isRejected, isEnding, graceSeconds });
    life.signal.addEventListener("abort", this.#stop, { once: true });
  }

  get pod(): Pod {
    return this.podSync.pod;
  }

  /** Ends with the worker. */
  get life(): AbortSignal {
    return this.#options.life.signal;
  }

  get stage(): PodWorkerState["stage"] {
    return this.#state.stage;
  }

  /** It may hold resources of the node. */
  get isActive(): boolean {
    return isActive(this.#state);
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

  /** Its containers have ended and will not start again; the API has the Pod still. */
  get isOver(): boolean {
    return this.#state.stage === "finished";
  }

  /** Something about it may have changed, as the runtime or a probe says. */
  readonly poke = (): void => this.#dispatch({ type: "poked", now: this.podSync.node.clock.monotonic() });

  /** The kubelet ends, or the Pod is gone: nothing more is done. */
  stop(reason: unknown): void {
    this.#options.life.abort(reason);
  }

  /** The name is free. */
  begin(): void {
    this.#dispatch({ type: "nameFreed" });
  }

  /** What the API has of it now. */
  update(pod: Pod): void {
    const before = this.podSync.wanted;
    this.podSync.wanted = pod;
    this.podSync.writer?.observe(pod);
    if (!concernsKubelet(before, pod)) return;
    this.podSync.retryTimes.clear();
    this.#dispatch({
      type: "changed",
      isDeleted: isDeleted(pod),
      isTerminal: isTerminal(pod.status?.phase),
      graceSeconds: pod.metadata?.deletionGracePeriodSeconds,
      podGraceSeconds: this.#podGraceSeconds,
    });
  }

  /** The API has it no longer: no status is written of what becomes of it. */
  remove(): void {
    const podGraceSeconds = this.#podGraceSeconds;
    const graceSeconds = this.pod.metadata?.deletionGracePeriodSeconds ?? podGraceSeconds;
    this.#dispatch({ type: "removed", graceSeconds, podGraceSeconds });
  }

  /** Ends it, as failed. */
  evict(eviction: Eviction): void {
    this.#dispatch({ type: "evicted", eviction, podGraceSeconds: this.#podGraceSeconds });
  }

  get #podGraceSeconds(): number | undefined {
    return this.pod.spec?.terminationGracePeriodSeconds;
  }

  #dispatch(event: PodWorkerEvent): void {
    if (this.life.aborted) return;
    const { state, effects } = transition(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: PodWorkerEffect): void {
    const { clock } = this.podSync.node;
    switch (effect.type) {
      case "startWork":
        this.#working = this.#work();
        break;
      case "abortStep":
        this.#step?.abort(new Error("the Pod is to end"));
        break;
      case "setTimer":
        this.#timer.set(effect.at);
        break;
      case "retryAfter":
        this.#timer.set(clock.monotonic() + effect.pauseMs * (1 + this.#options.random.next() / 2));
        break;
      case "setTimerBy":
        this.#timer.setBy(effect.at);
        break;
      case "reportFailure":
        this.#reportFailure(effect);
        break;
      case "notifyStopped":
        this.#stopped?.resolve();
        this.#options.onStopped();
        break;
      case "disposeStatusWriter":
        this.podSync.writer?.[Symbol.dispose]();
        break;
      case "notifyGone":
        this.stop(new Error("the Pod is gone"));
        this.podSync.node.dependencies.probes.removePod(this.podSync.uid);
        this.#options.onGone();
    }
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (isDue(this.#state) && !this.life.aborted) {
      this.#dispatch({ type: "stepStarted" });
      const step = new AbortController();
      this.#step = step;
      const event = await this.#takeStep(step.signal);
      this.#step = undefined;
      this.#dispatch(event);
    }
    this.#working = undefined;
  }

  /** Never rejects. */
  async #takeStep(signal: AbortSignal): Promise<StepEvent> {
    try {
      return await this.#doStep(this.#state, signal);
    } catch (error) {
      if (signal.aborted) return { type: "stepAborted" };
      return { type: "stepFailed", error, isMount: error instanceof MountError, now: this.podSync.node.clock.monotonic() };
    }
  }

  /** `signal` ends with the step, the worker's life with the kubelet. */
  async #doStep(state: PodWorkerState, signal: AbortSignal): Promise<StepEvent> {
    const { podSync, life } = this;
    switch (state.stage) {
      case "syncing":
        return await this.#sync(signal);
      case "terminating": {
        const { graceSeconds, eviction } = state;
        const grace = graceSeconds === undefined ? {} : { graceSeconds };
        await stopPod(podSync, { ...grace, eviction, changed: this.poke }, signal);
        return { type: "podTerminated" };
      }
      case "terminated":
        await settlePod(podSync, life);
        return { type: "podFinished" };
      case "removing":
        await removeRemains(podSync.node, podSync.identity, await podSync.refreshState(life), life);
        return { type: "remainsRemoved" };
      case "waiting":
      case "finished":
      case "gone":
        return { type: "stepAborted" };
    }
  }

  async #sync(syncSignal: AbortSignal): Promise<StepEvent> {
    const { life: signal, podSync } = this;
    const outcome = await runPod(podSync, { signal, syncSignal, changed: this.poke });
    switch (outcome.kind) {
      case "over":
        return { type: "podCompleted" };
      case "again":
        return { type: "podActed", maxActs: maxActs + 2 * containersOf(this.pod), now: podSync.node.clock.monotonic() };
      case "settled":
        await this.#removeOld(signal);
        return { type: "podSynced", syncAt: outcome.syncAt };
    }
  }

  /** What is left of it costs room alone. */
  async #removeOld(signal: AbortSignal): Promise<void> {
    const { node, state, pod } = this.podSync;
    await removeOld(node, state, signal).catch((error: unknown) => {
      if (!signal.aborted) node.log.warn({ error, pod: pod.metadata?.name }, "failed to remove containers that have ended");
    });
  }

  #reportFailure({ error, isRemoved }: PodWorkerEffect & { readonly type: "reportFailure" }): void {
    const { node, pod } = this.podSync;
    node.log.warn({ error, pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, stage: this.stage }, "failed to sync a Pod");
    if (isRemoved || !(error instanceof PodStateError)) return;
    recordPodEvent(node, pod, { type: "Warning", reason: "FailedSync", message: `error determining status: ${messageOf(error)}` });
  }

  readonly #stop = (): void => {
    this.#timer.set(undefined);
    this.#step?.abort(this.life.reason);
  };
}

const containersOf = (pod: Pod): number => initial(pod).length + ordinary(pod).length;
