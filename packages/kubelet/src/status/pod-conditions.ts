/**
 * The conditions that a kubelet gives a Pod.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
 */
import type { coreV1 } from "@coxswain/api";
import { goList, goQuote } from "@coxswain/machinery";
import type { Container, Pod } from "../pod/pod.ts";
import { initial, isSidecar, latest, ordinary, type PodState } from "../pod/pod-state.ts";
import { canRestartWhole, isWholeRestarting } from "../pod/restart-policy.ts";
import { sandboxNeed } from "../pod/sandbox-need.ts";
import type { Phase } from "./pod-phase.ts";

export type PodCondition = coreV1.PodCondition;
type ContainerStatus = coreV1.ContainerStatus;

const ours: ReadonlySet<string> = new Set([
  "PodScheduled",
  "Ready",
  "Initialized",
  "ContainersReady",
  "PodResizeInProgress",
  "PodResizePending",
  "PodReadyToStartContainers",
  "AllContainersRestarting",
]);

/** Whether only the kubelet sets it on a Pod that runs. */
export const isKubeletCondition = (type: string): boolean => ours.has(type);

export interface ConditionInput {
  readonly pod: Pod;
  readonly state: PodState;
  readonly phase: Phase;
  /** Of init and ordinary containers. */
  readonly statuses: readonly ContainerStatus[];
  /** What was said before. */
  readonly reported: coreV1.PodStatus;
  /** What others say; readiness gates are among them. */
  readonly others: readonly PodCondition[];
}

interface Claim {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

const yes: Claim = { status: "True" };

/** In Kubernetes' order, without times. */
export function kubeletConditions(input: ConditionInput): PodCondition[] {
  const { pod, state } = input;
  const observedGeneration = pod.metadata?.generation;
  const of = (type: string, claim: Claim): PodCondition => ({
    type,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...claim,
  });
  const containersReady = claimContainersReady(input);
  const conditions = [
    of("PodReadyToStartContainers", sandboxNeed(state).isNeeded ? { status: "False" } : yes),
    of("Initialized", claimInitialized(input)),
    of("Ready", containersReady.status === "True" ? claimGates(input) : containersReady),
    of("ContainersReady", containersReady),
    of("PodScheduled", yes),
  ];
  return canRestartWhole(pod) ? [...conditions, { type: "AllContainersRestarting", ...claimRestarting(input) }] : conditions;
}

function claimContainersReady({ pod, phase, statuses }: ConditionInput): Claim {
  const relevant = [...initial(pod).filter(isSidecar), ...ordinary(pod)];
  const unknown = relevant.filter((container) => find(statuses, container) === undefined);
  const unready = relevant.filter((container) => find(statuses, container)?.ready === false);
  if (phase === "Succeeded" && unknown.length === 0) return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const message = sentences(unknown, unready, "unready");
  return message === "" ? yes : { status: "False", reason: "ContainersNotReady", message };
}

/** What is asked for besides, by others' conditions. @see https://kep.k8s.io/580 */
function claimGates({ pod, others }: ConditionInput): Claim {
  const missing = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const status = others.find(({ type }) => type === conditionType)?.status;
    if (status === undefined) return [`corresponding condition of pod readiness gate ${goQuote(conditionType)} does not exist.`];
    return status === "True" ? [] : [`the status of pod readiness gate ${goQuote(conditionType)} is not "True", but ${status}`];
  });
  return missing.length === 0 ? yes : { status: "False", reason: "ReadinessGatesNotReady", message: missing.join(", ") };
}

function claimInitialized({ pod, phase, statuses, reported }: ConditionInput): Claim {
  const containers = initial(pod);
  const unknown = containers.filter((container) => find(statuses, container) === undefined);
  const incomplete = containers.filter((container) => {
    const status = find(statuses, container);
    return status !== undefined && !(isSidecar(container) ? status.started === true : status.ready);
  });
  if (phase === "Succeeded" && unknown.length === 0) return { status: "True", reason: "PodCompleted" };
  const hasBegun = ordinary(pod).some((container) => {
    const state = find(statuses, container)?.state;
    return state?.running !== undefined || state?.terminated !== undefined;
  });
  const message = sentences(unknown, incomplete, "incomplete");
  const wasInitialized = reported.conditions?.some(({ type, status }) => type === "Initialized" && status === "True") === true;
  if (hasBegun || message === "" || wasInitialized) return yes;
  return { status: "False", reason: "ContainersNotInitialized", message };
}

function claimRestarting({ pod, state, phase, reported }: ConditionInput): Claim {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const isCleared = [...initial(pod), ...ordinary(pod)].every(({ name }) => latest(state, name) === undefined);
  if (isCleared || !isWholeRestarting(pod, state, reported)) return { status: "False" };
  return { status: "True", reason: "RestartAllContainersStarted", message: "container exited with restart policy rule" };
}

const find = (statuses: readonly ContainerStatus[], { name }: Container): ContainerStatus | undefined =>
  statuses.find((one) => one.name === name);

function sentences(unknown: readonly Container[], lacking: readonly Container[], how: string): string {
  const names = (containers: readonly Container[]) => goList(containers.map(({ name }) => name));
  const unknownText = unknown.length === 0 ? [] : [`containers with unknown status: ${names(unknown)}`];
  return [...unknownText, ...(lacking.length === 0 ? [] : [`containers with ${how} status: ${names(lacking)}`])].join(", ");
}
