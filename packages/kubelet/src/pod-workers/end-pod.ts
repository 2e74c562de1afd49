/** Ends a Pod, and takes away what it has left. */
import type { coreV1 } from "@coxswain/api";
import { messageOf } from "@coxswain/machinery";
import { recordPodEvent } from "../events/record-events.ts";
import { killPod, unlessGone } from "../kuberuntime/kill-pod.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { isRunning, isWatched, type PodState } from "../pod/pod-state.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import type { PodIdentity } from "../runtime/runtime-config.ts";
import { terminatedStatus } from "../status/terminated-status.ts";
import type { Eviction } from "./pod-eviction.ts";
import type { NodeContext, PodSyncStatus } from "./pod-sync-status.ts";
import { podIpsOf } from "./run-pod.ts";

export interface EndOptions {
  readonly eviction: Eviction | undefined;
  /** Instead of what the Pod says. */
  readonly graceSeconds?: number;
  readonly changed: () => void;
}

/** Resolves when no container runs any more. @throws when that could not be done, for now */
export async function stopPod(podSync: PodSyncStatus, { graceSeconds, eviction, changed }: EndOptions, signal: AbortSignal): Promise<void> {
  const { node, pod } = podSync;
  const before = await podSync.refreshState(signal);
  if (isWatched(pod) && isRunning(before))
    node.dependencies.probes.syncPod(readinessOnly(pod), before.containers, podIpsOf(podSync)[0] ?? "", changed);
  podSync.setStatus(withCondition(podSync.status({ isOver: false, eviction }), eviction?.condition));
  const options = { pod, state: before, begun: podSync.killing, ...(graceSeconds === undefined ? {} : { graceSeconds }) };
  try {
    await killPod(node, options, signal);
  } catch (error) {
    if (!signal.aborted)
      recordPodEvent(node, pod, { type: "Warning", reason: "FailedKillPod", message: `error killing pod: ${messageOf(error)}` });
    throw error;
  }
  node.dependencies.probes.removePod(podSync.uid);
  const after = await podSync.refreshState(signal);
  if (isRunning(after)) throw new Error("containers still run that the runtime said it has stopped");
  // A sandbox that has ended has no addresses: the Pod keeps those that it had.
  podSync.state = { ...after, ips: before.ips };
  podSync.setStatus(podSync.status({ isOver: true, eviction }));
  podSync.writer?.markStopped();
}

const withCondition = (status: coreV1.PodStatus, condition: coreV1.PodCondition | undefined): coreV1.PodStatus =>
  condition === undefined
    ? status
    : { ...status, conditions: [...(status.conditions ?? []).filter(({ type }) => type !== condition.type), condition] };

/** Whoever is on the way out is not killed for being unwell. */
function readinessOnly(pod: Pod): Pod {
  const only = ({ livenessProbe: _liveness, startupProbe: _startup, ...rest }: Container): Container => rest;
  const { spec } = pod;
  if (spec === undefined) return pod;
  const inits = spec.initContainers?.map(only);
  return { ...pod, spec: { ...spec, containers: spec.containers.map(only), ...(inits === undefined ? {} : { initContainers: inits }) } };
}

/** After its last container: volumes, and the last word about it. */
export async function settlePod(podSync: PodSyncStatus, signal: AbortSignal): Promise<void> {
  const { node, uid, pod, writer } = podSync;
  await node.dependencies.volumes.unmount(uid, signal);
  if (writer === undefined) return;
  podSync.setStatus(terminatedStatus(pod, podSync.reported, podSync.isStatic));
  writer.finish();
}

/** Of a Pod that is gone. */
export async function removeRemains(
  node: Pick<NodeContext, "dependencies" | "clock">,
  pod: PodIdentity,
  state: PodState,
  signal: AbortSignal,
): Promise<void> {
  await removeContainers(node, state, signal);
  for (const { id } of state.sandboxes) await unlessGone(callRuntime(node, signal, (runtime, own) => runtime.removePodSandbox(id, own)));
  await node.dependencies.configs.removeLogs?.(pod);
}

export async function removeContainers(
  node: Pick<NodeContext, "dependencies" | "clock">,
  { containers }: PodState,
  signal: AbortSignal,
): Promise<void> {
  for (const { id } of containers) await unlessGone(callRuntime(node, signal, (runtime, own) => runtime.removeContainer(id, own)));
}

/** Of each container the last that has ended stays, for its logs and its outcome. */
export async function removeOld(node: NodeContext, { sandboxes, containers }: PodState, signal: AbortSignal): Promise<void> {
  const seen = new Set<string>();
  const kept = new Set<string>();
  for (const { id, name, state, sandboxId } of containers) {
    const isOld = state !== "running" && seen.has(name);
    if (state !== "running") seen.add(name);
    if (isOld) await unlessGone(callRuntime(node, signal, (runtime, own) => runtime.removeContainer(id, own)));
    else kept.add(sandboxId);
  }
  for (const { id, ready } of sandboxes.slice(1)) {
    if (!ready && !kept.has(id)) await unlessGone(callRuntime(node, signal, (runtime, own) => runtime.removePodSandbox(id, own)));
  }
}
