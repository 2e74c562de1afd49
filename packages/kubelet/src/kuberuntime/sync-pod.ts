/** Does what `computePodActions` has decided, in Kubernetes' order. */
import type { coreV1 } from "@coxswain/api";
import { formatGoDuration, messageOf } from "@coxswain/machinery";
import { recordContainerEvent, recordPodEvent } from "../events/record-events.ts";
import type { PodMetrics } from "../metrics/pod-metrics.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { describePod, initial, isSidecar, type PodState } from "../pod/pod-state.ts";
import { SyncError } from "../pod/sync-error.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import type { SandboxConfig } from "../runtime/runtime-config.ts";
import type { WaitReason } from "../status/status-input.ts";
import type { MountedVolumes } from "../volume-manager/mounted-volumes.ts";
import type { CrashBackoff } from "./crash-backoff.ts";
import { countMounts, mountedImages, type PulledVolumes, pullVolumes } from "./image-volumes.ts";
import { killContainer } from "./kill-container.ts";
import { killPod, unlessGone } from "./kill-pod.ts";
import type { PodActions } from "./pod-actions.ts";
import { type StartSignals, startContainer } from "./start-container.ts";
import type { SyncContext } from "./sync-context.ts";

export interface SyncRequest {
  readonly pod: Pod;
  readonly state: PodState;
  readonly actions: PodActions;
  readonly podIps: readonly string[];
  readonly volumes: MountedVolumes;
  readonly reported: coreV1.PodStatus;
  readonly backoff: CrashBackoff;
  /** Why each container waits: changed in place. */
  readonly waits: Map<string, WaitReason>;
  /** Before when containers are not tried again, by name; by the monotonic clock. Changed in place. */
  readonly retryTimes: Map<string, number>;
  /** Called when there is a new sandbox, before images are pulled. */
  readonly onSandbox: () => void;
  readonly resize: () => Promise<void>;
}

export interface SyncOutcome {
  /** When to try again. Undefined: all went well. */
  readonly retryAfterMs: number | undefined;
  /** Some container waits for another reason than before. */
  readonly hasNewReason: boolean;
  /** Something was done: the runtime has something else now. */
  readonly didAct: boolean;
  /** Containers that were made, but did not come to life. */
  readonly failedToRun: readonly string[];
}

/** Kubelets look at each Pod at least so often while something of it fails. */
const maxPauseMs = 60_000;
/** Between attempts that failed for no special reason. */
const retryMs = 10_000;

export async function syncPod(ctx: SyncContext, request: SyncRequest, signals: StartSignals): Promise<SyncOutcome> {
  const { actions } = request;
  if (actions.createSandbox && actions.sandboxId !== undefined) {
    recordPodEvent(ctx, request.pod, {
      type: "Normal",
      reason: "SandboxChanged",
      message: "Pod sandbox changed, it will be killed and re-created.",
    });
  }
  if (actions.killPod) await killPod(ctx, { pod: request.pod, state: request.state }, signals.signal);
  else await killSome(ctx, request, signals.signal);
  await removeOldInits(ctx, request, signals.signal);
  const sandbox = await sandboxFor(ctx, request, signals);
  if (sandbox === undefined) return { retryAfterMs: undefined, hasNewReason: false, didAct: actions.killPod, failedToRun: [] };
  return new Starts(ctx, request, sandbox, signals).run();
}

async function killSome(ctx: SyncContext, { pod, actions, state }: SyncRequest, signal: AbortSignal): Promise<void> {
  const podIp = state.ips[0] ?? "";
  await Promise.all(actions.toKill.map((one) => unlessGone(killContainer(ctx, { ...one, pod, podIp }, signal))));
  for (const { id, container, isRunning } of actions.toReset) {
    const kill = { pod, id, container, podIp, message: "killing", reason: "restartAllContainers", graceSeconds: 0 } as const;
    if (isRunning) await unlessGone(killContainer(ctx, kill, signal));
    await unlessGone(callRuntime(ctx, signal, (runtime, own) => runtime.removeContainer(id, own)));
  }
}

/** All of them go with their sandbox; else the last that has ended stays, for its logs and its outcome. */
async function removeOldInits(ctx: SyncContext, { pod, state, actions }: SyncRequest, signal: AbortSignal): Promise<void> {
  for (const { name } of initial(pod)) {
    const made = state.containers.filter((one) => one.name === name);
    const ended = made.filter(({ state: now }) => now === "exited" || now === "unknown").slice(1);
    for (const { id } of actions.createSandbox ? made : ended) {
      const removal = unlessGone(callRuntime(ctx, signal, (runtime, own) => runtime.removeContainer(id, own)));
      await removal.catch((error) => ctx.log.warn({ error, container: name }, "failed to remove an init container"));
    }
  }
}

interface Sandbox {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly ips: readonly string[];
}

/** Undefined: nothing is to be started in one. @throws when none can be made */
async function sandboxFor(ctx: SyncContext, request: SyncRequest, { signal, syncSignal }: StartSignals): Promise<Sandbox | undefined> {
  const { pod, actions, podIps } = request;
  if (!actions.createSandbox) {
    const { sandboxId, killPod: isKilled } = actions;
    return sandboxId === undefined || isKilled
      ? undefined
      : { id: sandboxId, config: ctx.dependencies.configs.generatePodSandboxConfig(pod, actions.attempt), ips: podIps };
  }
  ctx.metrics.startedPod();
  try {
    const config = ctx.dependencies.configs.generatePodSandboxConfig(pod, actions.attempt);
    const id = await callRuntime(ctx, signal, (runtime, own) => runtime.runPodSandbox(config, own), sandboxExtraMs);
    const made = await callRuntime(ctx, signal, (runtime, own) => runtime.listPodSandboxes(own, pod.metadata?.uid));
    const ips = pod.spec?.hostNetwork === true ? podIps : (made.find((one) => one.id === id)?.ips ?? []);
    request.onSandbox();
    return { id, config, ips };
  } catch (error) {
    // Why a Pod that is to end did not start is not reported.
    if (!syncSignal.aborted) {
      ctx.metrics.podFailed();
      recordPodEvent(ctx, pod, {
        type: "Warning",
        reason: "FailedCreatePodSandBox",
        message: `Failed to create pod sandbox: ${messageOf(error)}`,
      });
    }
    throw error;
  }
}

const crashLoop = "CrashLoopBackOff";
const failedToRunReasons = new Set(["RunContainerError", "PostStartHookError"]);
/** Networks take their time. */
const sandboxExtraMs = 120_000;

class Starts {
  readonly #ctx: SyncContext;
  readonly #request: SyncRequest;
  readonly #sandbox: Sandbox;
  readonly #signals: StartSignals;
  /** By the monotonic clock. */
  readonly #retries: number[] = [];
  readonly #failedToRun: string[] = [];
  #hasFailed = false;
  #hasNewReason = false;
  /** Pulled when the first container is to start: a Pod that goes on as it is needs nothing. */
  #pulledVolumes: PulledVolumes | undefined;

  constructor(ctx: SyncContext, request: SyncRequest, sandbox: Sandbox, signals: StartSignals) {
    this.#ctx = ctx;
    this.#request = request;
    this.#sandbox = sandbox;
    this.#signals = signals;
  }

  async run(): Promise<SyncOutcome> {
    const { actions, resize } = this.#request;
    await this.#isolate();
    for (const container of actions.ephemeralToStart) await this.#start(container, "ephemeral_container");
    for (const container of actions.initToStart) {
      if (!(await this.#start(container, "init_container")) && !isSidecar(container)) return this.#outcome();
    }
    await resize();
    for (const container of actions.toStart) await this.#start(container, "container");
    return this.#outcome();
  }

  /** Before the first container of a sandbox. */
  async #isolate(): Promise<void> {
    const { pod, actions, state } = this.#request;
    const { isolate } = this.#ctx.dependencies;
    const isNew = actions.createSandbox || state.containers.length === 0;
    const starts = actions.ephemeralToStart.length + actions.initToStart.length + actions.toStart.length > 0;
    if (isolate === undefined || !isNew || !starts || pod.spec?.hostNetwork === true) return;
    const { uid = "", namespace = "", name = "" } = pod.metadata ?? {};
    const report = (problem: string): void =>
      recordPodEvent(this.#ctx, pod, { type: "Warning", reason: "NetworkNotReady", message: problem });
    await isolate({ uid, namespace, name, addresses: this.#sandbox.ips }, report, this.#signals.syncSignal);
  }

  #outcome(): SyncOutcome {
    const { actions } = this.#request;
    const started = actions.ephemeralToStart.length + actions.initToStart.length + actions.toStart.length;
    const didAct = actions.createSandbox || started + actions.toKill.length + actions.toReset.length + actions.toResize.length > 0;
    if (!this.#hasFailed) return { retryAfterMs: undefined, hasNewReason: false, didAct, failedToRun: [] };
    const retryAfterMs = Math.min(maxPauseMs, ...this.#retries.map((at) => at - this.#ctx.clock.monotonic()));
    return { retryAfterMs, hasNewReason: this.#hasNewReason, didAct, failedToRun: this.#failedToRun };
  }

  /** False when it could not be started, for now. */
  async #start(container: Container, kind: Parameters<PodMetrics["startedContainer"]>[0]): Promise<boolean> {
    const { waits, retryTimes } = this.#request;
    const { syncSignal } = this.#signals;
    const { clock, metrics } = this.#ctx;
    syncSignal.throwIfAborted();
    if ((retryTimes.get(container.name) ?? 0) > clock.monotonic()) return this.#fails(container);
    try {
      this.#checkBackoff(container);
      metrics.startedContainer(kind);
      await this.#startOne(container);
      waits.delete(container.name);
      retryTimes.delete(container.name);
      return true;
    } catch (error) {
      syncSignal.throwIfAborted();
      if (!(error instanceof SyncError)) throw error;
      const { reason, message } = error;
      const before = waits.get(container.name);
      this.#hasNewReason ||= before?.reason !== reason || before.message !== message;
      waits.set(container.name, { reason, message });
      if (reason === crashLoop) retryTimes.delete(container.name);
      else {
        retryTimes.set(container.name, clock.monotonic() + retryMs);
        metrics.containerFailed(kind, reason);
        if (failedToRunReasons.has(reason)) this.#failedToRun.push(container.name);
      }
      return this.#fails(container);
    }
  }

  async #startOne(container: Container): Promise<void> {
    const { pod, state, volumes, reported } = this.#request;
    const { id: sandboxId, config: sandbox, ips: podIps } = this.#sandbox;
    this.#pulledVolumes ??= await pullVolumes(this.#ctx, pod, sandbox, this.#signals.syncSignal);
    const imageVolumes = mountedImages(this.#ctx, pod, container, this.#pulledVolumes);
    const request = { pod, container, state, volumes, imageVolumes, reported, sandboxId, sandbox, podIps };
    try {
      await startContainer(this.#ctx, request, this.#signals);
      countMounts(this.#ctx, container, imageVolumes);
    } catch (error) {
      if (error instanceof SyncError) countMounts(this.#ctx, container, imageVolumes, error);
      throw error;
    }
  }

  #fails({ name }: Container): false {
    const at = this.#request.retryTimes.get(name);
    if (at !== undefined) this.#retries.push(at);
    this.#hasFailed = true;
    return false;
  }

  /** @throws SyncError while a container that keeps ending has to wait */
  #checkBackoff(container: Container): void {
    const { pod, state, backoff } = this.#request;
    const { name } = container;
    const ended = state.containers.find((one) => one.name === name && one.state === "exited");
    if (ended === undefined) return;
    const key = `${name} ${container.image}`;
    const delayMs = backoff.delayAfter(key, ended.finishedAt);
    if (delayMs === undefined) return void backoff.lengthen(key, ended.finishedAt);
    const message = `Back-off restarting failed container ${name} in pod ${describePod(pod)}`;
    recordContainerEvent(this.#ctx, pod, container, { type: "Warning", reason: "BackOff", message });
    const { clock } = this.#ctx;
    this.#retries.push(clock.monotonic() + ended.finishedAt + delayMs - clock.now());
    throw new SyncError(crashLoop, `back-off ${formatGoDuration(delayMs)} restarting failed container=${name} pod=${describePod(pod)}`);
  }
}
