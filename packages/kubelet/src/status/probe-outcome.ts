/** Whether containers have started and are ready, as their probes say. In place. */
import type { coreV1 } from "@coxswain/api";
import type { Container, Pod } from "../pod/pod.ts";
import { initial, isSidecar, ordinary } from "../pod/pod-state.ts";
import type { ProbeResults } from "../prober/results.ts";
import type { ContainerStatus } from "./status-input.ts";

export interface ProbeInput {
  readonly pod: Pod;
  readonly results: (containerId: string) => ProbeResults;
  /** What was said before. */
  readonly reported: coreV1.PodStatus;
}

export function applyProbes(input: ProbeInput, inits: readonly ContainerStatus[], others: readonly ContainerStatus[]): void {
  for (const status of others) apply(input, find(ordinary(input.pod), status), status);
  for (const status of inits) {
    const container = find(initial(input.pod), status);
    if (container !== undefined && isSidecar(container)) apply(input, container, status);
    else {
      status.started = status.state?.running !== undefined;
      status.ready = status.state?.terminated?.exitCode === 0;
    }
  }
}

const find = (containers: readonly Container[], { name }: ContainerStatus) => containers.find((one) => one.name === name);

function apply({ results, reported }: ProbeInput, container: Container | undefined, status: ContainerStatus): void {
  status.ready = false;
  if (status.state?.running === undefined || container === undefined) {
    status.started = false;
    return;
  }
  const { startup, readiness } = results(idOf(status));
  status.started = startup ?? (status.started === true || container.startupProbe === undefined);
  if (!status.started) return;
  if (container.readinessProbe === undefined) status.ready = true;
  // Until a new kubelet has asked for the first time, what its predecessor found holds.
  else status.ready = readiness ?? wasReady(reported, status);
}

/** The runtime's own id. */
export const idOf = ({ containerID = "" }: ContainerStatus): string => containerID.slice(containerID.indexOf("://") + 3);

function wasReady(
  { containerStatuses = [], initContainerStatuses = [] }: coreV1.PodStatus,
  { name, containerID }: ContainerStatus,
): boolean {
  const before = [...containerStatuses, ...initContainerStatuses].find((one) => one.name === name);
  return before?.containerID === containerID && before?.ready === true;
}
