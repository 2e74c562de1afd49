/** A pod as `kubectl get` shows it: its containers' states summed up in one word. */

import type { ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from "@coxswain/types/core-v1";
import { isSidecar } from "../../../pod-spec/visit-containers.ts";
import { ageCell } from "../../../table/age.ts";
import { ageColumn, defineColumnsOf, nameColumn } from "../../../table/columns.ts";

/** What the statuses of a Pod's containers amount to. */
interface Summary {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: Restarts;
}

interface Restarts {
  readonly count: number;
  /** When the latest of the containers that were started again had ended; RFC 3339. */
  readonly last: string | undefined;
}

const none = "<none>";

/** A Pod with what its containers amount to. */
interface Row {
  readonly pod: Readonly<Pod>;
  readonly summary: Summary;
}

export const podColumns = defineColumnsOf(
  (pod: Readonly<Pod>): Row => ({ pod, summary: summarize(pod, pod.status ?? {}) }),
  [
    { ...nameColumn, value: ({ pod }) => pod.metadata?.name ?? "" },
    { name: "Ready", type: "string", description: "Ready containers, of all containers.", value: readyCell },
    {
      name: "Status",
      type: "string",
      description: "The phase, or what keeps the Pod from it.",
      value: ({ summary }) => summary.reason,
    },
    { name: "Restarts", type: "string", description: "How often containers were restarted, and when last.", value: restartsCell },
    { ...ageColumn, value: ({ pod }, now) => ageCell(pod.metadata?.creationTimestamp, now) },
    {
      name: "IP",
      type: "string",
      priority: 1,
      description: "Address of the Pod.",
      value: ({ pod }) => pod.status?.podIPs?.[0]?.ip || none,
    },
    { name: "Node", type: "string", priority: 1, description: "The Node it belongs to.", value: ({ pod }) => pod.spec?.nodeName || none },
    {
      name: "Nominated Node",
      type: "string",
      priority: 1,
      description: "The Node where room is being made for the Pod.",
      value: ({ pod }) => pod.status?.nominatedNodeName || none,
    },
    {
      name: "Readiness Gates",
      type: "string",
      priority: 1,
      description: "Extra conditions for readiness that are true, of all of them.",
      value: ({ pod }) => readinessGates(pod),
    },
  ],
);

function readyCell({ pod: { spec }, summary }: Row): string {
  const total = (spec?.containers ?? []).length + (spec?.initContainers ?? []).filter(isSidecar).length;
  return `${summary.ready}/${total}`;
}

function restartsCell({ summary: { restarts } }: Row, now: number): string {
  const ago = restarts.count > 0 && restarts.last !== undefined ? ` (${ageCell(restarts.last, now)} ago)` : "";
  return `${restarts.count}${ago}`;
}

function summarize(pod: Readonly<Pod>, status: PodStatus): Summary {
  const init = initSummary(pod, status);
  const initialized = hasCondition(status.conditions, "Initialized");
  const summary = init.initializing && !initialized ? init : runningSummary(status, init);
  if (pod.metadata?.deletionTimestamp === undefined) return summary;
  if (status.reason === "NodeLost") return { ...summary, reason: "Unknown" };
  return status.phase === "Failed" || status.phase === "Succeeded" ? summary : { ...summary, reason: "Terminating" };
}

const hasCondition = (conditions: readonly PodCondition[] | undefined, type: string): boolean =>
  conditions?.some((c) => c.type === type && c.status === "True") ?? false;

function phaseReason(status: PodStatus): string {
  const gated = status.conditions?.some((c) => c.type === "PodScheduled" && c.reason === "SchedulingGated");
  return gated ? "SchedulingGated" : status.reason || (status.phase ?? "");
}

interface InitSummary extends Summary {
  readonly initializing: boolean;
  readonly sidecarRestarts: Restarts;
}

/** Up to the first init container that is neither done nor a sidecar that runs. */
function initSummary({ spec }: Readonly<Pod>, status: PodStatus): InitSummary {
  const containers = spec?.initContainers ?? [];
  let restarts: Restarts = { count: 0, last: undefined };
  let sidecarRestarts = restarts;
  let ready = 0;
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const declared = containers.find((c) => c.name === container.name);
    const sidecar = declared !== undefined && isSidecar(declared);
    restarts = withRestartsOf(restarts, container);
    if (sidecar) sidecarRestarts = withRestartsOf(sidecarRestarts, container);
    const { terminated } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecar && container.started) {
      if (container.ready) ready += 1;
      continue;
    }
    const reason = `Init:${initReason(container.state) ?? `${i}/${containers.length}`}`;
    return { reason, ready, restarts, sidecarRestarts, initializing: true };
  }
  return { reason: phaseReason(status), ready, restarts, sidecarRestarts, initializing: false };
}

function initReason({ terminated, waiting }: ContainerState = {}): string | undefined {
  if (terminated) return endReason(terminated);
  return waiting?.reason && waiting.reason !== "PodInitializing" ? waiting.reason : undefined;
}

const endReason = ({ reason, signal, exitCode }: { reason?: string; signal?: number; exitCode: number }): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

/** The first container in trouble gives the word, so they are checked from the last to the first. */
function runningSummary(status: PodStatus, init: InitSummary): Summary {
  let { reason, ready } = init;
  let restarts = init.sidecarRestarts;
  let running = false;
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    restarts = withRestartsOf(restarts, container);
    const { waiting, terminated, running: isRunning } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = endReason(terminated);
    else if (container.ready && isRunning) {
      running = true;
      ready += 1;
    }
  }
  if (reason === "Completed" && running) reason = hasCondition(status.conditions, "Ready") ? "Running" : "NotReady";
  return { reason, ready, restarts };
}

function withRestartsOf({ count, last }: Restarts, { restartCount, lastState }: ContainerStatus): Restarts {
  const ended = lastState?.terminated?.finishedAt ?? undefined;
  const later = ended !== undefined && (last === undefined || Date.parse(last) < Date.parse(ended));
  return { count: count + (restartCount ?? 0), last: later ? ended : last };
}

function readinessGates({ spec, status }: Readonly<Pod>): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const open = gates.filter(({ conditionType }) => status?.conditions?.find((c) => c.type === conditionType)?.status === "True");
  return `${open.length}/${gates.length}`;
}
