/**
 * Init containers one after the other; those that stay, the sidecars, are only waited for until they have started.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/init-containers/ and …/sidecar-containers/
 */

import { isOutdated } from "../pod/container-record.ts";
import type { Container } from "../pod/pod.ts";
import { initial, isSidecar, latest, ordinary } from "../pod/pod-state.ts";
import { restartsAfterKill, shallStart } from "../pod/restart-policy.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import type { ActionInput, PodActions } from "./pod-actions.ts";

/** Adds to `actions`; true once ordinary containers may run. */
export function computeInitActions(input: ActionInput, actions: PodActions): boolean {
  const { pod, state } = input;
  const containers = initial(pod);
  const last = containers.length - 1;
  if (last < 0) return true;
  let isInitialized = ordinary(pod).some(({ name }) => ["created", "running"].includes(latest(state, name)?.state ?? ""));
  let isLaterBegun = isInitialized;
  const toStart = new Set<Container>();
  // From the last to the first: the last that was begun says how far it got.
  for (let i = last; i >= 0; i--) {
    const container = containers[i];
    if (container === undefined) continue;
    const status = latest(state, container.name);
    if (status === undefined) {
      if (isLaterBegun && isSidecar(container)) toStart.add(container);
      continue;
    }
    if (isLaterBegun && !isSidecar(container)) continue;
    const finding = consider(input, container, status, actions);
    if (finding === "failed") {
      actions.killPod = true;
      return false;
    }
    const next = containers[i + 1];
    if (finding.isInitialized && i === last) isInitialized = true;
    else if (finding.isInitialized && next !== undefined && !isLaterBegun) toStart.add(next);
    if (finding.starts) toStart.add(container);
    isLaterBegun = true;
  }
  const [first] = containers;
  if (!isLaterBegun && first !== undefined) toStart.add(first);
  actions.initToStart.push(...containers.filter((container) => toStart.has(container)));
  return isInitialized;
}

interface Finding {
  /** The next one may begin. */
  readonly isInitialized: boolean;
  readonly starts: boolean;
}

const waits: Finding = { isInitialized: false, starts: false };
const starts: Finding = { isInitialized: false, starts: true };
const goesOn: Finding = { isInitialized: true, starts: false };

function consider(input: ActionInput, container: Container, status: ContainerStatus, actions: PodActions): Finding | "failed" {
  switch (status.state) {
    case "created":
      return starts;
    case "running":
      return isSidecar(container) ? considerSidecar(input, container, status, actions) : waits;
    case "exited":
      if (isSidecar(container)) return starts;
      if (status.exitCode === 0) return goesOn;
      return shallStart(container, input.pod, input.state) ? starts : "failed";
    case "unknown":
      if (!isSidecar(container) && !restartsAfterKill(container, input.pod)) return "failed";
      kill(actions, {
        id: status.id,
        container,
        message: 'Init container is in "unknown" state, try killing it before restart',
        reason: "unknown",
      });
      return starts;
  }
}

function considerSidecar(input: ActionInput, container: Container, status: ContainerStatus, actions: PodActions): Finding {
  const { startup, liveness } = input.probes(status.id);
  const { name } = container;
  if (container.startupProbe !== undefined && startup !== true) {
    if (startup === undefined) return waits;
    kill(actions, { id: status.id, container, message: `Init container ${name} failed startup probe`, reason: "startupProbe" });
    return starts;
  }
  const restarts: Finding = { isInitialized: true, starts: true };
  if (isOutdated(container, status)) {
    kill(actions, { id: status.id, container, message: `Init container ${name} definition changed`, reason: "unknown" });
    return restarts;
  }
  if (container.livenessProbe !== undefined && liveness === false) {
    kill(actions, { id: status.id, container, message: `Init container ${name} failed liveness probe`, reason: "livenessProbe" });
    return restarts;
  }
  const resizing = input.resizing(container, status);
  if (resizing === "inPlace") actions.toResize.push({ id: status.id, container });
  if (resizing !== "restart") return goesOn;
  kill(actions, { id: status.id, container, message: `Container ${name} resize requires restart`, reason: "unknown" });
  return restarts;
}

function kill({ toKill }: PodActions, container: PodActions["toKill"][number]): void {
  toKill.push(container);
}
