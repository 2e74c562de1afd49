/**
 * One probe of one container: when it looks, and what follows from what it sees. It looks at fixed intervals from the time it
 * was made on, so that nothing waits while there is no container to look at.
 */
import type { EventRecorder } from "@coxswain/client";
import type { Clock, RandomSource, Timer } from "@coxswain/machinery";
import type { Container } from "../pod/pod.ts";
import type { Dial } from "../probe/dial.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import type { ProbeMetrics } from "./probe-metrics.ts";
import type { ProbedPodState } from "./probed-pod-state.ts";
import { type ProbeOutcome, runProbe } from "./run-probe.ts";

export type ProbeKind = "startupProbe" | "readinessProbe" | "livenessProbe";

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
/** A container that is older than the kubelet by so much was looked at by another before. */
const restartGraceMs = 10_000;
const settledFailures = 10;
const podKind = { group: "", version: "v1", kind: "Pod" };

export class ProbeWorker {
  readonly kind: ProbeKind;
  readonly #options: ProbeWorkerOptions;
  readonly #probing: Probing;
  readonly #periodMs: number;
  /** Where the intervals are counted from. */
  #anchor: number;
  #containerId = "";
  #result: boolean | undefined;
  #last = true;
  #run = 0;
  #isOnHold = false;
  /** Asked for while it could not be done. */
  #again = false;
  #timer: Timer | undefined;
  #looking: AbortController | undefined;

  constructor(options: ProbeWorkerOptions, probing: Probing) {
    const { clock, random, startedAt } = probing;
    this.kind = options.kind;
    this.#options = options;
    this.#probing = probing;
    this.#periodMs = (options.container[options.kind]?.periodSeconds ?? 10) * 1000;
    const isRecent = this.#periodMs > clock.now() - startedAt;
    this.#anchor = clock.now() + (isRecent ? random.next() * this.#periodMs : 0);
  }

  get containerId(): string {
    return this.#containerId;
  }

  get result(): boolean | undefined {
    return this.#result;
  }

  /** At what is seen now. */
  sync(): void {
    const status = this.#current();
    if (status !== undefined && status.id !== this.#containerId) this.#begin(status);
    if (status?.state === "exited") this.#result = false;
    if (status?.state !== "running" || this.#isIdle()) this.#rest();
    else this.#turnTo(status);
  }

  #turnTo(status: ContainerStatus): void {
    const isUrgent = this.kind === "readinessProbe" && this.#result !== true && this.#initialWaitMs(status) <= 0;
    if (!isUrgent) this.#wait(status);
    else if (this.#looking !== undefined) this.#again = true;
    else if (this.#probing.clock.now() >= this.#anchor) this.#probeNow();
    else this.#wait(status);
  }

  stop(): void {
    this.#rest();
    this.#probing.metrics.forget(this.#options.seen().pod, this.#options.container.name, names[this.kind]);
  }

  #current(): ContainerStatus | undefined {
    const { name } = this.#options.container;
    let newest: ContainerStatus | undefined;
    for (const status of this.#options.seen().containers) {
      if (status.name !== name) continue;
      const isNewer = newest === undefined || (status.createdAt - newest.createdAt || status.attempt - newest.attempt) > 0;
      if (isNewer) newest = status;
    }
    return newest;
  }

  #begin({ id, startedAt }: ContainerStatus): void {
    this.#rest();
    this.#containerId = id;
    this.#isOnHold = false;
    const isOld = startedAt > 0 && startedAt < this.#probing.startedAt - restartGraceMs;
    if (!isOld) this.#result = initially[this.kind];
    else this.#result = this.kind === "startupProbe" && this.#wasStarted() ? true : undefined;
    if (this.kind === "startupProbe" && this.#result === true) this.#isOnHold = true;
  }

  /** As the Pod's status said before this kubelet began. */
  #wasStarted(): boolean {
    const { containerStatuses = [], initContainerStatuses = [] } = this.#options.seen().pod.status ?? {};
    const reported = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === this.#options.container.name);
    return reported?.started === true && reported.containerID?.endsWith(`://${this.#containerId}`) === true;
  }

  /** Until there is a new container, or it has started. Whoever is to go needs no restart any more. */
  #isIdle(): boolean {
    const isGoing = this.#options.seen().pod.metadata?.deletionTimestamp !== undefined;
    if (isGoing && this.kind !== "readinessProbe") this.#result = true;
    if (this.#isOnHold || (isGoing && this.kind !== "readinessProbe")) return true;
    return this.kind !== "startupProbe" && this.#options.container.startupProbe !== undefined && !this.#hasStarted();
  }

  #hasStarted(): boolean {
    return this.#options.startupOf(this.#containerId) === true;
  }

  #initialWaitMs({ startedAt }: ContainerStatus): number {
    const delayMs = (this.#options.container[this.kind]?.initialDelaySeconds ?? 0) * 1000;
    return startedAt + delayMs - this.#probing.clock.now();
  }

  /** For the next turn at which the container may be looked at. For what goes on as before no process stays alive. */
  #wait(status: ContainerStatus): void {
    if (this.#timer !== undefined || this.#looking !== undefined) return;
    const { clock } = this.#probing;
    const now = clock.now();
    const earliest = now + Math.max(0, this.#initialWaitMs(status));
    const turns = Math.max(0, Math.ceil((earliest - this.#anchor) / this.#periodMs));
    const next = this.#anchor + turns * this.#periodMs;
    this.#timer = clock.schedule(next > now ? next - now : this.#periodMs, () => {
      this.#timer = undefined;
      this.#probeNow();
    });
    const isSettled = this.#run >= (this.#result === true ? 1 : settledFailures);
    if (isSettled) this.#timer.unref();
  }

  #rest(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#again = false;
    this.#looking?.abort(new Error("no probe is wanted any more"));
    this.#looking = undefined;
  }

  /** Counts the intervals from now on, as one that is asked for does. */
  #probeNow(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#anchor = this.#probing.clock.now();
    const looking = new AbortController();
    this.#looking = looking;
    void this.#probe(looking.signal).then((outcome) => {
      if (looking.signal.aborted) return;
      this.#looking = undefined;
      if (outcome !== undefined) this.#judge(outcome.result !== "failure");
      const status = this.#current();
      if (status?.state !== "running" || this.#isIdle()) return;
      if (this.#again && this.#result !== true) this.#probeNow();
      else this.#wait(status);
      this.#again = false;
    });
  }

  /** Undefined: it cannot be known, which counts as nothing. Never rejects. */
  async #probe(signal: AbortSignal): Promise<ProbeOutcome | undefined> {
    const { container } = this.#options;
    const { pod, podIp } = this.#options.seen();
    const { clock, metrics } = this.#probing;
    const probe = container[this.kind] ?? {};
    const podText = `${pod.metadata?.name}_${pod.metadata?.namespace}(${pod.metadata?.uid})`;
    const begun = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await runProbe(probe, { ...this.#probing, container, containerId: this.#containerId, podIp, podText }, signal);
        if (signal.aborted) return undefined;
        metrics.count(pod, container.name, names[this.kind], outcome.result, (clock.monotonic() - begun) / 1000);
        this.#recordOutcome(outcome);
        return outcome;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (attempt < maxAttempts) continue;
        const message = error instanceof Error ? error.message : String(error);
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

  #judge(isGood: boolean): void {
    const { failureThreshold = 3, successThreshold = 1 } = this.#options.container[this.kind] ?? {};
    this.#run = this.#last === isGood ? this.#run + 1 : 1;
    this.#last = isGood;
    if (this.#run < (isGood ? successThreshold : failureThreshold)) return;
    const before = this.#result;
    this.#result = isGood;
    if (this.kind === "startupProbe" || (this.kind === "livenessProbe" && !isGood)) {
      this.#isOnHold = true;
      this.#run = 0;
    }
    if (before === isGood) return;
    if (this.kind === "startupProbe") this.#options.resume();
    this.#options.seen().changed();
  }
}

const initially: Readonly<Record<ProbeKind, boolean | undefined>> = { startupProbe: undefined, readinessProbe: false, livenessProbe: true };
