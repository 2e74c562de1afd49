/**
 * Decides what to do about a Pod: pure, and the whole of the Pod lifecycle.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */

import { isOutdated } from "../pod/container-record.ts";
import type { Container } from "../pod/pod.ts";
import { ephemeral, hasMadeOrdinary, initial, latest, ordinary, type PodState } from "../pod/pod-state.ts";
import { restartsAfterKill, restartsWhole, shallStart } from "../pod/restart-policy.ts";
import { sandboxNeed } from "../pod/sandbox-need.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { computeInitActions } from "./compute-init-actions.ts";
import type { ActionInput, ContainerToReset, KillReason, PodActions } from "./pod-actions.ts";

export function computePodActions(input: ActionInput): PodActions {
  const { pod, state } = input;
  const need = sandboxNeed(state);
  const actions: PodActions = {
    killPod: need.isNeeded,
    createSandbox: need.isNeeded,
    sandboxId: need.id,
    attempt: need.attempt,
    initToStart: [],
    toStart: [],
    ephemeralToStart: [],
    toKill: [],
    toReset: [],
    toResize: [],
  };
  if (input.isWholeRestarting) {
    actions.killPod = false;
    actions.createSandbox = false;
    actions.toReset.push(...containersToReset(input));
  } else if (need.isNeeded) {
    startAllOver(input, actions);
  } else {
    actions.ephemeralToStart.push(...ephemeral(pod).filter(({ name }) => latest(state, name) === undefined));
    if (computeInitActions(input, actions) && !actions.killPod) computeOrdinaryActions(input, actions);
  }
  return actions;
}

/** In a new sandbox everything begins at its beginning, unless the Pod has done what it was for. */
function startAllOver({ pod, state }: ActionInput, actions: PodActions): void {
  const hasRun = actions.attempt !== 0 && state.containers.length > 0;
  if (pod.spec?.restartPolicy === "Never" && hasRun) {
    actions.createSandbox = false;
    return;
  }
  const wanted = ordinary(pod).filter((container) => !isDone(container, pod.spec?.restartPolicy, state));
  const [firstInit] = initial(pod);
  if (wanted.length === 0 && hasMadeOrdinary(pod, state)) actions.createSandbox = false;
  else if (firstInit !== undefined) actions.initToStart.push(firstInit);
  else actions.toStart.push(...wanted);
}

/** Ended well, and with that at its end. */
function isDone(container: Container, podPolicy: string | undefined, state: PodState): boolean {
  if ((container.restartPolicy || podPolicy) !== "OnFailure") return false;
  const status = latest(state, container.name);
  return status?.state === "exited" && status.exitCode === 0;
}

function computeOrdinaryActions(input: ActionInput, actions: PodActions): void {
  const { pod, state } = input;
  let kept = 0;
  for (const container of ordinary(pod)) {
    const status = latest(state, container.name);
    if (status?.state === "running") kept += considerRunning(input, container, status, actions);
    else if (shallStart(container, pod, state)) {
      actions.toStart.push(container);
      if (status?.state === "unknown") {
        // Whether it runs is unknown: two of it must not.
        const message = 'Container is in "unknown" state, try killing it before restart';
        actions.toKill.push({ id: status.id, container, message, reason: "unknown" });
      }
    }
  }
  if (kept === 0 && actions.toStart.length === 0) {
    actions.killPod = true;
    // Sidecars alone keep no Pod alive.
    actions.initToStart.length = 0;
  }
}

/** One when the container stays. */
function considerRunning(input: ActionInput, container: Container, status: ContainerStatus, actions: PodActions): 0 | 1 {
  const flaw = flawOf(input, container, status);
  if (flaw === undefined) {
    const resizing = input.resizing(container, status);
    if (resizing === "inPlace") actions.toResize.push({ id: status.id, container });
    if (resizing !== "restart") return 1;
    const message = `Container ${container.name} resize requires restart`;
    actions.toKill.push({ id: status.id, container, message, reason: "unknown" });
    actions.toStart.push(container);
    return 0;
  }
  const restarts = flaw.reason === "unknown" || restartsAfterKill(container, input.pod);
  if (restarts) actions.toStart.push(container);
  const message = restarts ? `${flaw.message}, will be restarted` : flaw.message;
  actions.toKill.push({ id: status.id, container, message, reason: flaw.reason });
  return 0;
}

interface Flaw {
  readonly message: string;
  readonly reason: KillReason;
}

/** Why a running container cannot stay. */
function flawOf({ probes }: ActionInput, container: Container, status: ContainerStatus): Flaw | undefined {
  const { name } = container;
  if (isOutdated(container, status)) return { message: `Container ${name} definition changed`, reason: "unknown" };
  const { liveness, startup } = probes(status.id);
  if (liveness === false) return { message: `Container ${name} failed liveness probe`, reason: "livenessProbe" };
  if (startup === false) return { message: `Container ${name} failed startup probe`, reason: "startupProbe" };
  return undefined;
}

/** Ordinary ones before init containers, and those whose end began it after all others: so that it is remembered until then. */
function containersToReset({ pod, state }: ActionInput): ContainerToReset[] {
  const [initSources, initTargets] = split(initial(pod), state);
  const [sources, targets] = split(ordinary(pod), state);
  return [...targets, ...initTargets, ...sources, ...initSources];
}

function split(containers: readonly Container[], state: PodState): [sources: ContainerToReset[], targets: ContainerToReset[]] {
  const sources: ContainerToReset[] = [];
  const targets: ContainerToReset[] = [];
  for (const container of containers) {
    for (const { id, name, state: now, exitCode } of state.containers) {
      if (name !== container.name) continue;
      const isSource = now === "exited" && restartsWhole(container, exitCode);
      (isSource ? sources : targets).push({ id, container, isRunning: now !== "exited" });
    }
  }
  return [sources, targets];
}
