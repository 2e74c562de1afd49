/** Statuses of containers, from what the runtime has of them and what was said before. */

import type { coreV1 } from "@coxswain/api";
import type { Container } from "../pod/pod.ts";
import { hasMadeOrdinary, initial, isDeleted, isSidecar, latest } from "../pod/pod-state.ts";
import { shallStart } from "../pod/restart-policy.ts";
import { toContainerStatus } from "./container-status.ts";
import { mountStatuses } from "./mount-statuses.ts";
import { restartingAll } from "./pod-phase.ts";
import type { ContainerStatus, StatusInput } from "./status-input.ts";

type State = coreV1.ContainerState;

const unknownReason = "ContainerStatusUnknown";
/** As if it had been killed: its end is unknown. */
const unknownExitCode = 137;

/** In the order of `containers`, for init containers. */
export const initStatuses = (input: StatusInput): ContainerStatus[] =>
  initial(input.pod).map((container) => settleInit(input, container, statusOf(input, container)));

/** By name. */
export const ordinaryStatuses = (input: StatusInput, containers: readonly Container[]): ContainerStatus[] =>
  containers.map((container) => settle(input, container, statusOf(input, container))).sort((a, b) => compareNames(a.name, b.name));

const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What the runtime says of it, or what follows from its having nothing. */
function statusOf(input: StatusInput, container: Container): ContainerStatus {
  const { state, reported } = input;
  const before = reported.find(({ name }) => name === container.name);
  const [current, previous] = state.containers.filter(({ name }) => name === container.name);
  if (current === undefined) return missing(input, container, before);
  const status = toContainerStatus(input, container, current, before);
  return previous === undefined ? status : { ...status, lastState: toContainerStatus(input, container, previous, before).state ?? {} };
}

function missing(input: StatusInput, container: Container, before: ContainerStatus | undefined): ContainerStatus {
  const status = waiting(input, container, before);
  if (before === undefined) return status;
  if (input.isWholeRestarting && before.state?.waiting === undefined) return restarting(status, before);
  if (before.state?.running === undefined || status.lastState?.terminated !== undefined) return status;
  const terminated = {
    exitCode: unknownExitCode,
    reason: unknownReason,
    message: "The container could not be located when the pod was deleted.  The container used to be Running",
  };
  // It ran: without this the Pod would be pending again.
  return { ...status, lastState: { terminated }, restartCount: status.restartCount + (isDeleted(input.pod) ? 0 : 1) };
}

/** Never made, or its end is all that is remembered. */
function waiting(input: StatusInput, container: Container, before: ContainerStatus | undefined): ContainerStatus {
  if (before?.state?.terminated !== undefined) return { ...before };
  const reason = initial(input.pod).length > 0 ? "PodInitializing" : "ContainerCreating";
  const volumeMounts = mountStatuses(container, input.supportsRecursiveReadOnly);
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: "",
    ready: false,
    restartCount: before?.restartCount ?? 0,
    state: { waiting: { reason } },
    lastState: before?.lastState ?? {},
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
  };
}

function restarting(status: ContainerStatus, before: ContainerStatus): ContainerStatus {
  const message = "The container is removed because RestartAllContainers in place";
  return {
    ...status,
    state: { waiting: { reason: restartingAll, message } },
    lastState: { terminated: { exitCode: unknownExitCode, reason: restartingAll, message } },
    restartCount: before.restartCount + 1,
  };
}

function settleInit(input: StatusInput, container: Container, status: ContainerStatus): ContainerStatus {
  const { pod, state } = input;
  const current = latest(state, container.name);
  if (current?.state === "exited" && current.exitCode === 0) return status;
  if (current === undefined && !isSidecar(container) && hasMadeOrdinary(pod, state) && status.state?.waiting !== undefined) {
    const message = "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally";
    return { ...status, state: { terminated: { exitCode: 0, reason: "Completed", message } } };
  }
  return settle(input, container, status);
}

/** What shall be started and could not be is waiting, for a reason. */
function settle({ pod, state, waits }: StatusInput, container: Container, status: ContainerStatus): ContainerStatus {
  const why = waits(container.name);
  if (why === undefined || !shallStart(container, pod, state)) return status;
  const now: State = { waiting: { reason: why.reason, ...(why.message === "" ? {} : { message: why.message }) } };
  const ended = status.state?.terminated;
  return { ...status, state: now, ...(ended === undefined ? {} : { lastState: { terminated: ended } }) };
}
