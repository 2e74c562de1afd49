/** The last status of a Pod: nothing of it is left that could still say how it ended. */
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { initial, isSidecar, isTerminal } from "../pod/pod-state.ts";

type PodStatus = coreV1.PodStatus;
type ContainerStatus = coreV1.ContainerStatus;

/** Containers that began and of whose end nothing is known count as killed; a Pod whose outcome is not known has failed. */
export function terminatedStatus(pod: Pod, status: PodStatus, isStatic: boolean): PodStatus {
  const { containerStatuses, initContainerStatuses = [] } = status;
  const begun = lastBegun(initContainerStatuses) + 1;
  return {
    ...status,
    ...(isStatic || isTerminal(status.phase) ? {} : { phase: "Failed" }),
    ...(containerStatuses !== undefined && wasInitialized(pod, status) ? { containerStatuses: containerStatuses.map(end) } : {}),
    ...(initContainerStatuses.length === 0
      ? {}
      : { initContainerStatuses: initContainerStatuses.map((one, i) => (i < Math.max(begun, 1) ? end(one) : one)) }),
  };
}

function end(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  const message = "The container could not be located when the pod was terminated";
  return { ...status, state: { terminated: { exitCode: 137, reason: "ContainerStatusUnknown", message } } };
}

const lastBegun = (statuses: readonly ContainerStatus[]): number =>
  statuses.findLastIndex(({ state, lastState }) => state?.waiting === undefined || lastState?.terminated !== undefined);

function wasInitialized(pod: Pod, { containerStatuses = [], initContainerStatuses = [] }: PodStatus): boolean {
  const containers = initial(pod);
  if (containers.length === 0) return true;
  if (containerStatuses.some(({ state, lastState }) => lastState?.terminated !== undefined || state?.waiting === undefined)) return true;
  const status = initContainerStatuses.at(-1);
  const container = containers.find(({ name }) => name === status?.name);
  if (status === undefined || container === undefined) return false;
  if (isSidecar(container)) return status.state?.running !== undefined && status.started === true;
  return status.state?.terminated?.exitCode === 0 || status.lastState?.terminated?.exitCode === 0;
}
