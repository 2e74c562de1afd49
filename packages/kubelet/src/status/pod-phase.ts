/**
 * The phase of a Pod, from what its containers' statuses say.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
 */
import type { coreV1 } from "@coxswain/api";
import type { Container, Pod } from "../pod/pod.ts";
import { initial, isSidecar, ordinary } from "../pod/pod-state.ts";
import { restartsAfter } from "../pod/restart-policy.ts";

type ContainerStatus = coreV1.ContainerStatus;
export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/** Why a container is gone: all of the Pod restart in place. */
export const restartingAll = "RestartingAllContainers";

export interface PhaseInput {
  readonly pod: Pod;
  /** Of init and ordinary containers. */
  readonly statuses: readonly ContainerStatus[];
  /** No container will start again, whatever its policy says. */
  readonly isOver: boolean;
  /** Ordinary containers were made in the sandbox that is in use. */
  readonly isInitialized: boolean;
  readonly isStatic: boolean;
}

export function podPhase(input: PhaseInput): Phase {
  const { pod, statuses, isOver, isInitialized, isStatic } = input;
  const statusOf = ({ name }: Container) => statuses.find((one) => one.name === name);
  const inits = countInits(pod, statusOf);
  if (inits.failedForGood > 0) return "Failed";
  const all = addSidecars(pod, statusOf, countOrdinary(pod, statusOf));
  if (inits.pending > 0 || (all.pendingSidecars > 0 && !isInitialized) || all.waiting > 0) return "Pending";
  if (all.unknown > 0) return "Pending";
  if (all.running > 0) return "Running";
  if (all.stopped === 0) return "Pending";
  if (!(isOver && !isStatic) && all.stopped !== all.stoppedForGood) return "Running";
  return all.stopped === all.succeeded ? "Succeeded" : "Failed";
}

type StatusOf = (container: Container) => ContainerStatus | undefined;

/** Those that end. */
function countInits(pod: Pod, statusOf: StatusOf) {
  let pending = 0;
  let failedForGood = 0;
  for (const container of initial(pod)) {
    if (isSidecar(container)) continue;
    const { state, lastState } = statusOf(container) ?? {};
    const ended = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated);
    if (ended === undefined) pending++;
    else if (ended.exitCode !== 0 && !startsAgain(container, pod, ended)) failedForGood++;
  }
  return { pending, failedForGood };
}

interface Counts {
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  stoppedForGood: number;
  succeeded: number;
  pendingSidecars: number;
}

function countOrdinary(pod: Pod, statusOf: StatusOf): Counts {
  const counts: Counts = { unknown: 0, running: 0, waiting: 0, stopped: 0, stoppedForGood: 0, succeeded: 0, pendingSidecars: 0 };
  for (const container of ordinary(pod)) {
    const { state, lastState } = statusOf(container) ?? {};
    const ended = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated);
    if (state?.running !== undefined) counts.running++;
    else if (ended !== undefined) {
      counts.stopped++;
      if (!startsAgain(container, pod, ended)) counts.stoppedForGood++;
      if (state?.terminated?.exitCode === 0) counts.succeeded++;
    } else if (state?.waiting !== undefined) counts.waiting++;
    else counts.unknown++;
  }
  return counts;
}

/** How a sidecar ended says nothing about the Pod. */
function addSidecars(pod: Pod, statusOf: StatusOf, counts: Counts): Counts {
  for (const container of initial(pod)) {
    if (!isSidecar(container)) continue;
    const status = statusOf(container);
    const { state, lastState } = status ?? {};
    const hasEnded = state?.terminated !== undefined || (state?.waiting !== undefined && lastState?.terminated !== undefined);
    if (hasEnded) continue;
    if (state?.running !== undefined) counts.running++;
    else if (state?.waiting !== undefined) counts.waiting++;
    else counts.unknown++;
    if (status !== undefined && !(state?.running !== undefined && status.started === true)) counts.pendingSidecars++;
  }
  return counts;
}

const startsAgain = (container: Container, pod: Pod, { exitCode, reason }: coreV1.ContainerStateTerminated): boolean =>
  reason === restartingAll || restartsAfter(container, pod, exitCode);
