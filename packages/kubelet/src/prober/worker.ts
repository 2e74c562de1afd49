/**
 * One probe of one container, at fixed intervals from the time the worker was made on, so that nothing waits while there is no
 * container. When it is probed, and what follows from what is found, is `transition`'s; here it is carried out.
 */
import type { EventRecorder } from "@coxswain/client";
import { type Clock, messageOf, type RandomSource, type Timer } from "@coxswain/machinery";
import type { Container } from "../pod/pod.ts";
import type { Dial } from "../probe/dial.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import type { ProbeMetrics } from "./probe-metrics.ts";
import {
  initialProbeState,
  type ProbedContainer,
  type ProbeEffect,
  type ProbeEvent,
  type ProbeKind,
  type ProbeState,
  type ProbeView,
  transition,
} from "./probe-state.ts";
import type { ProbedPodState } from "./probed-pod-state.ts";
import { type ProbeOutcome, runProbe } from "./run-probe.ts";

/** What all probes of a node share. */
export interface Probing {
  readonly runtime: Pick<PodRuntime, "execSync">;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: ProbeMetrics;
  /** When this kubelet began. */
  readonly startedAt: number;
}

export interface ProbeWorkerOptions {
  readonly kind: ProbeKind;
  readonly container: Container;
  readonly seen: () => ProbedPodState;
  readonly startupOf: (containerId: string) => boolean | undefined;
  /** Something that other probes of the container wait for has come about. */
  readonly resume: () => void;
}

const names: Readonly<Record<ProbeKind, string>> = { startupProbe: "Startup", readinessProbe: "Readiness", livenessProbe: "Liveness" };
const maxAttempts = 3;
/** A container that is older than the kubelet by so much was probed by another before. */
const restartGraceMs = 10_000;
const podKind = { group: "", version: "v1", kind: "Pod" };

export class ProbeWorker {
  readonly kind: ProbeKind;
  readonly #options: ProbeWorkerOptions;
  readonly #probing: Probing;
  #state: ProbeState;
  #timer: Timer | undefined;
  #probe: AbortController | undefined;

  constructor(options: ProbeWorkerOptions, probing: Probing) {
    const { clock, random, startedAt } = probing;
    const { periodSeconds = 10, failureThreshold = 3, successThreshold = 1 } = options.container[options.kind] ?? {};
    this.kind = options.kind;
    this.#options = options;
    this.#probing = probing;
    const periodMs = periodSeconds * 1000;
    const isRecent = periodMs > clock.now() - startedAt;
    const anchor = clock.monotonic() + (isRecent ? random.next() * periodMs : 0);
    this.#state = initialProbeState({ kind: options.kind, periodMs, failureThreshold, successThreshold }, anchor);
  }

  get containerId(): string {
    return this.#state.containerId;
  }

  get result(): boolean | undefined {
    return this.#state.result;
  }

  /** With what is seen of the Pod now. */
  sync(): void {
    this.#dispatch({ type: "synced", view: this.#view() });
  }

  stop(): void {
    this.#dispatch({ type: "stopped" });
    this.#probing.metrics.forget(this.#options.seen().pod, this.#options.container.name, names[this.kind]);
  }

  #dispatch(event: ProbeEvent): void {
    const { state, effects } = transition(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: ProbeEffect): void {
    switch (effect.type) {
      case "cancel":
        this.#stopTimer();
        this.#probe?.abort(new Error("no probe is wanted any more"));
        this.#probe = undefined;
        break;
      case "setTimer":
        this.#stopTimer();
        this.#timer = this.#probing.clock.schedule(effect.afterMs, () => {
          this.#timer = undefined;
          this.#dispatch({ type: "timerFired", now: this.#probing.clock.monotonic() });
        });
        if (effect.isSettled) this.#timer.unref();
        break;
      case "startProbe":
        this.#stopTimer();
        this.#start();
        break;
      case "notifyStarted":
        this.#options.resume();
        break;
      case "notifyChanged":
        this.#options.seen().changed();
        break;
    }
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #start(): void {
    const probe = new AbortController();
    this.#probe = probe;
    void this.#run(probe.signal).then((outcome) => {
      if (probe.signal.aborted) return;
      this.#probe = undefined;
      this.#dispatch({ type: "probed", isGood: outcome === undefined ? undefined : outcome.result !== "failure" });
      this.#dispatch({ type: "continued", view: this.#view() });
    });
  }

  #view(): ProbeView {
    const { pod } = this.#options.seen();
    const status = this.#newest();
    const isDeleted = pod.metadata?.deletionTimestamp !== undefined;
    const container = status === undefined ? undefined : this.#viewOf(status);
    return { container, isDeleted, now: this.#probing.clock.monotonic() };
  }

  #viewOf({ id, state, startedAt }: ContainerStatus): ProbedContainer {
    const { container, startupOf } = this.#options;
    const delayMs = (container[this.kind]?.initialDelaySeconds ?? 0) * 1000;
    return {
      id,
      isRunning: state === "running",
      hasExited: state === "exited",
      isOld: startedAt > 0 && startedAt < this.#probing.startedAt - restartGraceMs,
      wasStarted: id !== this.containerId && this.kind === "startupProbe" && this.#wasStarted(id),
      awaitsStartup: container.startupProbe !== undefined && startupOf(id) !== true,
      initialWaitMs: startedAt + delayMs - this.#probing.clock.now(),
    };
  }

  #newest(): ContainerStatus | undefined {
    const { name } = this.#options.container;
    let newest: ContainerStatus | undefined;
    for (const status of this.#options.seen().containers) {
      if (status.name !== name) continue;
      const isNewer = newest === undefined || (status.createdAt - newest.createdAt || status.attempt - newest.attempt) > 0;
      if (isNewer) newest = status;
    }
    return newest;
  }

  /** As the Pod's status said before this kubelet began. */
  #wasStarted(id: string): boolean {
    const { containerStatuses = [], initContainerStatuses = [] } = this.#options.seen().pod.status ?? {};
    const reported = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === this.#options.container.name);
    return reported?.started === true && reported.containerID?.endsWith(`://${id}`) === true;
  }

  /** Undefined: it cannot be known, which counts as nothing. Never rejects. */
  async #run(signal: AbortSignal): Promise<ProbeOutcome | undefined> {
    const { container } = this.#options;
    const { pod, podIp } = this.#options.seen();
    const { clock, metrics } = this.#probing;
    const probe = container[this.kind] ?? {};
    const podText = `${pod.metadata?.name}_${pod.metadata?.namespace}(${pod.metadata?.uid})`;
    const begun = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await runProbe(probe, { ...this.#probing, container, containerId: this.containerId, podIp, podText }, signal);
        if (signal.aborted) return undefined;
        const seconds = (clock.monotonic() - begun) / 1000;
        metrics.count(pod, container.name, names[this.kind], { result: outcome.result, seconds });
        this.#recordOutcome(outcome);
        return outcome;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (attempt < maxAttempts) continue;
        const message = messageOf(error);
        this.#record("Unhealthy", `${names[this.kind]} probe errored and resulted in unknown state: ${message}`);
        return undefined;
      }
    }
  }

  #recordOutcome({ result, output }: ProbeOutcome): void {
    if (result === "failure") this.#record("Unhealthy", `${names[this.kind]} probe failed: ${output}`);
    if (result === "warning") this.#record("ProbeWarning", `${names[this.kind]} probe warning: ${output}`);
  }

  #record(reason: string, message: string): void {
    const { pod } = this.#options.seen();
    const { name } = this.#options.container;
    const isInit = pod.spec?.initContainers?.some((one) => one.name === name) === true;
    const fieldPath = `spec.${isInit ? "initContainers" : "containers"}{${name}}`;
    this.#probing.events.record(pod, { type: "Warning", reason, message, fieldPath }, podKind);
  }
}
