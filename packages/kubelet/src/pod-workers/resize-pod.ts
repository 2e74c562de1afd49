/**
 * Gives running Pods more or less, where the node has it.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
 */
import type { coreV1 } from "@coxswain/api";
import { messageOf, parseQuantity, wireTime } from "@coxswain/machinery";
import { recordPodEvent } from "../events/record-events.ts";
import { linuxResources } from "../kuberuntime/container-config/linux-resources.ts";
import type { ContainerToResize, PodActions } from "../kuberuntime/pod-actions.ts";
import { generalFilter, rejectionOf } from "../lifecycle/predicate.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { initial, ordinary } from "../pod/pod-state.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import type { PodSyncStatus } from "./pod-sync-status.ts";

type Condition = coreV1.PodCondition;
const pending = "PodResizePending";
const inProgress = "PodResizeInProgress";

/** Decides on what is wanted for a Pod. What the node does not have now it may have later. */
export function decideResize(podSync: PodSyncStatus): void {
  const { node, wanted, allocation } = podSync;
  if (allocation.covers(wanted)) return void setCondition(podSync, pending, undefined);
  const current = node.node();
  const verdict =
    current === undefined
      ? { kind: "fits" as const }
      : generalFilter(
          { pod: wanted, isStatic: podSync.isStatic },
          current,
          node.neighbours(podSync.uid),
          current.status?.nodeInfo?.operatingSystem || "linux",
        );
  if (verdict.kind === "fits") {
    allocation.grant(wanted);
    podSync.wanted = wanted;
    setCondition(podSync, pending, undefined);
    setCondition(podSync, inProgress, {});
    return void recordPodEvent(node, wanted, {
      type: "Normal",
      reason: "ResizeStarted",
      message: `Pod resize started: ${summary(wanted)}`,
    });
  }
  const [shortage] = verdict.kind === "short" ? verdict.shortages : [];
  const message = shortage === undefined ? (verdict.kind === "rejected" ? verdict.rejection.message : "") : rejectionOf(shortage).message;
  const hasNewReason = setCondition(podSync, pending, { reason: "Deferred", message });
  if (hasNewReason)
    recordPodEvent(node, wanted, {
      type: "Warning",
      reason: "ResizeDeferred",
      message: `Pod resize Deferred: ${summary(wanted, message)}`,
    });
}

export const isResizePending = ({ resizeConditions }: PodSyncStatus): boolean => resizeConditions.some(({ type }) => type === pending);

/** Whether containers have by now what was decided. */
export function followResize(podSync: PodSyncStatus): void {
  const { node, pod, state, allocation } = podSync;
  const before = podSync.resizeConditions.find(({ type }) => type === inProgress);
  if (allocation.isUnderWay(pod, state)) {
    if (before === undefined) setCondition(podSync, inProgress, {});
  } else if (before !== undefined) {
    setCondition(podSync, inProgress, undefined);
    recordPodEvent(node, pod, {
      type: "Normal",
      reason: "ResizeCompleted",
      message: `Pod resize completed: ${summary(pod, undefined, before.observedGeneration)}`,
    });
  }
}

/** Less before more, so that the Pod never has more than both. */
export async function actuateResize(podSync: PodSyncStatus, { toResize }: PodActions, signal: AbortSignal): Promise<void> {
  const { node, pod, allocation } = podSync;
  if (toResize.length === 0) return;
  try {
    await checkMemory(podSync, toResize, signal);
    for (const { id, container } of toResize.toSorted((a, b) => growth(podSync, a.container) - growth(podSync, b.container))) {
      const { oomScoreAdj: _, ...resources } = linuxResources(pod, container, nodeMemory(podSync));
      await callRuntime(node, signal, (runtime, own) => runtime.updateContainerResources(id, resources, own));
      allocation.markActuated(container);
    }
  } catch (error) {
    signal.throwIfAborted();
    const hasNewReason = setCondition(podSync, inProgress, { reason: "Error", message: messageOf(error) });
    if (hasNewReason)
      recordPodEvent(node, pod, { type: "Warning", reason: "ResizeError", message: `Pod resize error: ${summary(pod, messageOf(error))}` });
    throw error;
  }
}

/** A container that uses more than it may have would be killed. */
async function checkMemory(podSync: PodSyncStatus, toResize: readonly ContainerToResize[], signal: AbortSignal): Promise<void> {
  const shrinking = toResize.filter(({ container }) => {
    const [wanted, has] = [memoryLimit(container.resources), memoryLimit(podSync.allocation.actuated(container))];
    return wanted > 0 && (has === 0 || wanted < has);
  });
  if (shrinking.length === 0) return;
  const { containers } = await callRuntime(podSync.node, signal, (runtime, own) => runtime.stats(own));
  const problems = shrinking.flatMap(({ id, container }) => {
    const usage = containers.find((one) => one.id === id)?.memoryUsageBytes;
    const limit = memoryLimit(container.resources);
    if (usage === undefined || usage < limit) return [];
    return [`attempting to set container "${container.name}" memory limit (${limit}) below current usage (${usage})`];
  });
  if (problems.length > 0) throw new Error(`cannot decrease memory limits: ${problems.join(", ")}`);
}

const memoryLimit = (resources: coreV1.ResourceRequirements | undefined): number => amount(resources?.limits?.memory);

const amount = (text: string | undefined): number => Number(parseQuantity(text ?? "0")?.milli() ?? 0n) / 1000;

const growth = ({ allocation }: PodSyncStatus, container: Container): number =>
  memoryLimit(container.resources) - memoryLimit(allocation.actuated(container));

const nodeMemory = ({ node }: PodSyncStatus): number => amount(node.node()?.status?.capacity?.memory);

/** Undefined takes it away. True when it says something else than before. */
function setCondition(
  podSync: PodSyncStatus,
  type: string,
  claim: { readonly reason?: string; readonly message?: string } | undefined,
): boolean {
  const before = podSync.resizeConditions.find((one) => one.type === type);
  const others = podSync.resizeConditions.filter((one) => one !== before);
  if (claim === undefined) {
    if (before !== undefined) podSync.resizeConditions = others;
    return before !== undefined;
  }
  const { generation } = podSync.wanted.metadata ?? {};
  const now = wireTime(podSync.node.clock.now());
  const isSame = before?.reason === claim.reason;
  const condition: Condition = {
    type,
    status: "True",
    lastProbeTime: now,
    lastTransitionTime: isSame ? (before?.lastTransitionTime ?? now) : now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...claim,
  };
  if (before !== undefined && isSame && before.message === claim.message && before.observedGeneration === condition.observedGeneration)
    return false;
  podSync.resizeConditions = [...others, condition].sort((a, b) => (a.type > b.type ? -1 : 1));
  return before === undefined || !isSame || before.observedGeneration !== condition.observedGeneration;
}

/** As Kubernetes shows it in events. */
function summary(pod: Pod, error?: string, generation = pod.metadata?.generation): string {
  const shown = (containers: readonly Container[]) =>
    containers.map(({ name, resources: { limits, requests } = {} }) => ({ name, resources: { limits, requests } }));
  const inits = initial(pod);
  return JSON.stringify({
    ...(inits.length === 0 ? {} : { initContainers: shown(inits) }),
    containers: shown(ordinary(pod)),
    generation,
    error,
  });
}
