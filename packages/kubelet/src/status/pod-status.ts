/** The whole status of a Pod as its kubelet sees it. */
import { type coreV1, qosClass } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { ephemeral, hasMadeOrdinaryNow, isTerminal, ordinary, type PodState } from "../pod/pod-state.ts";
import { isWholeRestarting } from "../pod/restart-policy.ts";
import type { ProbeResults } from "../prober/results.ts";
import { initStatuses, ordinaryStatuses } from "./container-statuses.ts";
import { podAddresses } from "./pod-addresses.ts";
import { isKubeletCondition, kubeletConditions } from "./pod-conditions.ts";
import { podLevelResources } from "./pod-level-resources.ts";
import { type Phase, podPhase } from "./pod-phase.ts";
import { applyProbes } from "./probe-outcome.ts";
import type { StatusInput, WaitReason } from "./status-input.ts";

export type PodStatus = coreV1.PodStatus;

export interface PodStatusInput {
  readonly pod: Pod;
  readonly state: PodState;
  /** What this kubelet said last; what the API has when it has said nothing yet. */
  readonly reported: PodStatus;
  readonly runtimeName: string;
  readonly waits: (container: string) => WaitReason | undefined;
  readonly probes: (containerId: string) => ProbeResults;
  /** No container will start again. */
  readonly isOver: boolean;
  readonly isStatic: boolean;
  /** Of the node; the first is of the family that Pods have too. */
  readonly hostIps: readonly string[];
  readonly resizeConditions: readonly coreV1.PodCondition[];
  /** Why the Pod must end now, whatever its containers do. */
  readonly eviction: { readonly reason: string; readonly message: string } | undefined;
  readonly supportsRecursiveReadOnly: boolean;
}

/** Without times of conditions, which depend on earlier statuses. */
export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, state, reported, eviction } = input;
  const statuses = containerStatuses(input);
  const both = [...statuses.init, ...statuses.ordinary];
  applyProbes({ pod, reported, results: input.probes }, statuses.init, statuses.ordinary);
  const { isOver, isStatic } = input;
  const computed = podPhase({ pod, statuses: both, isOver, isStatic, isInitialized: hasMadeOrdinaryNow(pod, state) });
  const phase = eviction === undefined ? lastingPhase(computed, reported, pod) : "Failed";
  const why = eviction ?? keptReason(phase, reported, pod);
  return {
    ...(pod.metadata?.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: conditionsOf(input, phase, both),
    ...(why.reason ? { reason: why.reason } : {}),
    ...(why.message ? { message: why.message } : {}),
    ...podAddresses(pod, state.ips, input.hostIps, reported),
    ...(statuses.init.length === 0 ? {} : { initContainerStatuses: statuses.init }),
    ...(statuses.ordinary.length === 0 ? {} : { containerStatuses: statuses.ordinary }),
    qosClass: pod.spec === undefined ? "BestEffort" : qosClass(pod.spec),
    ...(statuses.ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: statuses.ephemeral }),
    ...podLevelResources(pod),
  };
}

function containerStatuses({ pod, state, reported, runtimeName, waits, supportsRecursiveReadOnly }: PodStatusInput) {
  const restarting = isWholeRestarting(pod, state, reported);
  const common = { pod, state, runtimeName, waits, supportsRecursiveReadOnly, isWholeRestarting: restarting };
  const input = (before: StatusInput["reported"] | undefined): StatusInput => ({ ...common, reported: before ?? [] });
  return {
    init: initStatuses(input(reported.initContainerStatuses)),
    ordinary: ordinaryStatuses(input(reported.containerStatuses), ordinary(pod)),
    ephemeral: ordinaryStatuses(input(reported.ephemeralContainerStatuses), ephemeral(pod)),
  };
}

/** What has ended stays so, whatever is seen later. */
function lastingPhase(computed: Phase, reported: PodStatus, { status }: Pod): Phase {
  for (const phase of [status?.phase, reported.phase]) if (isTerminal(phase)) return phase === "Failed" ? "Failed" : "Succeeded";
  return computed;
}

function keptReason(phase: Phase, reported: PodStatus, { status }: Pod): { reason?: string | undefined; message?: string | undefined } {
  if (phase !== reported.phase) return {};
  return { reason: reported.reason || status?.reason, message: reported.message || status?.message };
}

function conditionsOf(input: PodStatusInput, phase: Phase, statuses: readonly coreV1.ContainerStatus[]): coreV1.PodCondition[] {
  const { pod, state, reported, isOver, resizeConditions } = input;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => !isKubeletCondition(type));
  // Said by the kubelet itself when it evicts.
  const disruption = reported.conditions?.find(({ type }) => type === "DisruptionTarget");
  const kept = disruption === undefined ? others : [...others.filter(({ type }) => type !== "DisruptionTarget"), disruption];
  return [...kept, ...(isOver ? [] : resizeConditions), ...kubeletConditions({ pod, state, phase, statuses, reported, others: kept })];
}
