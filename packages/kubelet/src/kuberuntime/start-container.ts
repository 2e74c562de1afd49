/** Brings one container to life: image, configuration, creation, start, postStart hook. */
import type { coreV1 } from "@coxswain/api";
import { messageOf } from "@coxswain/machinery";
import { recordContainerEvent } from "../events/record-events.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { latest, type PodState } from "../pod/pod-state.ts";
import { SyncError } from "../pod/sync-error.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import type { MountedImage, SandboxConfig } from "../runtime/runtime-config.ts";
import type { MountedVolumes } from "../volume-manager/mounted-volumes.ts";
import type { ContainerRequest } from "./container-config/container-request.ts";
import { killContainer } from "./kill-container.ts";
import type { SyncContext } from "./sync-context.ts";

export interface StartRequest {
  readonly pod: Pod;
  readonly container: Container | coreV1.EphemeralContainer;
  readonly state: PodState;
  readonly sandboxId: string;
  readonly sandbox: SandboxConfig;
  readonly podIps: readonly string[];
  readonly volumes: MountedVolumes;
  readonly imageVolumes: ReadonlyMap<string, MountedImage>;
  /** What was said of the Pod before: attempts that the runtime no longer has are counted in it. */
  readonly reported: coreV1.PodStatus;
}

export interface StartSignals {
  /** Ends with the kubelet. */
  readonly signal: AbortSignal;
  /** Ends when the Pod is to end as well: what takes long is given up then. */
  readonly syncSignal: AbortSignal;
}

/**
 * Resolves once it runs and its postStart hook has ended.
 * @throws SyncError with what the container's status says it waits for, after the event about it
 */
export async function startContainer(ctx: SyncContext, request: StartRequest, signals: StartSignals): Promise<void> {
  const { pod, container, sandbox } = request;
  const { signal, syncSignal } = signals;
  const failed = (reason: string, error: unknown, id = ""): SyncError => {
    const problem = error instanceof SyncError ? error : new SyncError(reason, messageOf(error), { cause: error });
    if (!syncSignal.aborted) {
      const what = reason === "ErrImagePull" ? problem.reason : problem.message;
      recordContainerEvent(ctx, pod, container, { type: "Warning", reason: "Failed", message: `Error: ${what}`, id });
    }
    return problem;
  };
  const wanted = { pod, container, image: container.image ?? "", pullPolicy: container.imagePullPolicy, sandbox };
  const image = await ctx.dependencies.images.ensureImageExists(wanted, syncSignal).catch((error) => {
    throw failed("ErrImagePull", error);
  });
  const config = await configOf(ctx, request, image, syncSignal).catch((error) => {
    throw failed("CreateContainerConfigError", error);
  });
  const id = await callRuntime(ctx, signal, (runtime, own) => runtime.createContainer(request.sandboxId, config, sandbox, own)).catch(
    (error) => {
      throw failed("CreateContainerError", error);
    },
  );
  recordContainerEvent(ctx, pod, container, { type: "Normal", reason: "Created", message: "Container created" });
  await callRuntime(ctx, signal, (runtime, own) => runtime.startContainer(id, own)).catch((error) => {
    throw failed("RunContainerError", error, id);
  });
  recordContainerEvent(ctx, pod, container, { type: "Normal", reason: "Started", message: "Container started" });
  await postStart(ctx, request, id, signals);
}

async function configOf(ctx: SyncContext, request: StartRequest, image: ContainerRequest["image"], signal: AbortSignal) {
  const { pod, container, state, podIps, volumes, imageVolumes, reported } = request;
  const attempt = nextAttempt(container, state, reported);
  return await ctx.dependencies.configs.generateContainerConfig(
    { pod, container, attempt, image, podIps, volumes, imageVolumes, others: state.containers },
    signal,
  );
}

/** A runtime may have forgotten what it ran: with the machine's own restart. */
function nextAttempt({ name }: Container, state: PodState, reported: coreV1.PodStatus): number {
  const before = latest(state, name);
  if (before !== undefined) return before.attempt + 1;
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = reported;
  const status = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find((one) => one.name === name);
  if (status === undefined) return 0;
  return status.containerID === undefined || status.containerID === "" ? status.restartCount : status.restartCount + 1;
}

async function postStart(ctx: SyncContext, request: StartRequest, id: string, { syncSignal, signal }: StartSignals): Promise<void> {
  const { pod, container, podIps } = request;
  const hook = container.lifecycle?.postStart;
  if (hook === undefined) return;
  try {
    await ctx.dependencies.hooks.run({ pod, container, id, podIp: podIps[0] ?? "" }, hook, syncSignal);
  } catch (error) {
    if (syncSignal.aborted) throw syncSignal.reason;
    // Not with its text: hooks may know secrets.
    recordContainerEvent(ctx, pod, container, { type: "Warning", reason: "FailedPostStartHook", message: "PostStartHook failed" });
    const kill = { pod, container, id, message: "FailedPostStartHook", reason: "failedPostStartHook", podIp: podIps[0] ?? "" } as const;
    await killContainer(ctx, kill, signal).catch((problem) =>
      ctx.log.warn({ error: problem, container: container.name }, "failed to kill a container"),
    );
    throw new SyncError("PostStartHookError", messageOf(error), { cause: error });
  }
}
