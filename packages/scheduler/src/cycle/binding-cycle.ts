/** The binding cycle: from the choice of a node to the Pod being bound to it, beside the scheduling cycles of other Pods. */
import { messageOf } from "@coxswain/machinery";
import type { ClusterCache } from "../cache/cluster-cache.ts";
import type { CycleState } from "../framework/cycle-state.ts";
import type { Extender } from "../framework/extender.ts";
import { fitErrorMessage } from "../framework/fit-error.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { podKind } from "../framework/pod-kind.ts";
import { errorStatus, type Status } from "../framework/status.ts";
import { statusLabel } from "../metrics/scheduler-metrics.ts";
import type { QueuedPod } from "../queue/queued-pod.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { BackgroundWork } from "../runtime/background-work.ts";
import { statusMessage } from "../runtime/diagnosis.ts";
import type { InFlightBindings } from "../runtime/in-flight-bindings.ts";
import { PluginFailure } from "../runtime/plugin-failure.ts";
import type { Profile } from "../runtime/profile.ts";
import { errorFailure, type Failure, type FailureHandler } from "./failure-handler.ts";
import type { PodStatusWriter } from "./pod-status.ts";
import type { Reporter } from "./reporter.ts";

export interface BindingParts {
  readonly queue: SchedulingQueue;
  readonly cache: ClusterCache;
  readonly bindings: InFlightBindings;
  readonly extenders: readonly Extender[];
  readonly status: PodStatusWriter;
  readonly background: BackgroundWork;
  readonly failures: FailureHandler;
  readonly report: Reporter;
}

/** A Placement is a Pod that has been assumed on a node, with what the rest of its cycle needs. */
export interface Placement {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly queued: QueuedPod;
  /** As it is counted on the node. */
  readonly pod: PodInfo;
  readonly node: string;
  /** Permit plugins that have the Pod wait, with their timeouts in milliseconds. */
  readonly permitWaits: ReadonlyMap<string, number>;
  readonly startedAt: number;
}

/** Where a Pod was rejected. From `PreBind` on nothing is kept of what happens meanwhile. */
interface BindingFailure {
  readonly point: "Permit" | "PreBind" | "Bind";
  readonly status: Status;
}

export async function runBindingCycle(parts: BindingParts, placement: Placement, signal: AbortSignal): Promise<void> {
  let failure: BindingFailure | undefined;
  try {
    failure = await bindingCycle(parts, placement, signal);
  } catch (error) {
    failure = { point: "Bind", status: errorStatus(messageOf(error)) };
  }
  if (failure === undefined) return recordBound(parts, placement);
  forgetPlacement(parts, placement);
  // A scheduler that ends leaves the Pod as it is: the next one finds it.
  if (!signal.aborted) handleBindingFailure(parts, placement, failure);
}

async function bindingCycle(parts: BindingParts, placement: Placement, signal: AbortSignal): Promise<BindingFailure | undefined> {
  const { profile, pod, node, permitWaits } = placement;
  const { metrics } = parts.report;
  if (permitWaits.size > 0 || willPreBind(placement)) await writeNomination(parts, placement, signal);
  if (permitWaits.size > 0) {
    const status = await waitOnPermit(parts, placement, signal);
    if (status !== undefined) return { point: "Permit", status };
  }
  // Whatever fails from here on is tried again after a backoff: what happens in the cluster need not be kept for the Pod.
  parts.queue.done(pod.uid);
  if (profile.preBind.length > 0) {
    const run = () => parts.bindings.duringPreBind({ pod, node }, signal, (stopped) => preBind(placement, stopped));
    const status = await metrics.timedAsync("PreBind", profile.schedulerName, run, statusLabel);
    if (status !== undefined) return { point: "PreBind", status };
  }
  const run = () => parts.background.request(() => bind(parts, placement, signal));
  const status = await metrics.timedAsync("Bind", profile.schedulerName, run, statusLabel);
  return status && { point: "Bind", status };
}

const willPreBind = ({ profile, state, pod, node }: Placement): boolean =>
  profile.preBind.some((plugin) => plugin.willPreBind?.(state, pod, node) === true);

/** Other components, such as cluster autoscalers, see where the Pod is going while that takes time. */
async function writeNomination({ status, report }: BindingParts, { queued, node }: Placement, signal: AbortSignal): Promise<void> {
  try {
    await status.write(queued.pod.pod, { nominatedNode: node }, signal);
  } catch (error) {
    signal.throwIfAborted();
    report.log.warn({ pod: queued.pod.key, node, error }, "failed to write nominated node");
  }
}

async function waitOnPermit(parts: BindingParts, placement: Placement, signal: AbortSignal): Promise<Status | undefined> {
  const { clock, metrics } = parts.report;
  const since = clock.monotonic();
  const status = await parts.bindings.waitOnPermit(placement, placement.permitWaits, signal);
  metrics.permitted(status === undefined ? "Success" : "Unschedulable", clock.monotonic() - since);
  return status;
}

async function preBind({ profile, state, pod, node }: Placement, signal: AbortSignal): Promise<Status | undefined> {
  for (const plugin of profile.preBind) {
    if (plugin.preBind === undefined) continue;
    let status: Status | undefined;
    try {
      status = await plugin.preBind(state, pod, node, signal);
    } catch (error) {
      throw PluginFailure.of("PreBind", plugin.name, signal.aborted ? signal.reason : error);
    }
    if (status?.code === "Error") throw new PluginFailure("PreBind", plugin.name, statusMessage(status));
    if (status !== undefined) return { ...status, plugin: plugin.name };
  }
  return undefined;
}

/** An extender that binds goes before the plugins. */
async function bind({ extenders }: BindingParts, placement: Placement, signal: AbortSignal): Promise<Status | undefined> {
  const { profile, state, pod, node } = placement;
  for (const extender of extenders) {
    if (!extender.does.bind || !extender.isInterested(pod)) continue;
    try {
      await extender.bind(pod, node, signal);
      return undefined;
    } catch (error) {
      if (!extender.ignorable) throw error;
    }
  }
  for (const plugin of profile.bind) {
    let said: Awaited<ReturnType<NonNullable<typeof plugin.bind>>>;
    try {
      said = await plugin.bind?.(state, pod, node, signal);
    } catch (error) {
      throw PluginFailure.of("Bind", plugin.name, error);
    }
    if (said === "bound") return undefined;
    if (said?.code === "Error") throw new PluginFailure("Bind", plugin.name, statusMessage(said));
    if (said !== undefined) return { ...said, plugin: plugin.name };
  }
  return errorStatus("no plugin has bound the pod");
}

function recordBound({ report }: BindingParts, { profile, state, queued, pod, node, startedAt }: Placement): void {
  const { clock, metrics } = report;
  const message = `Successfully assigned ${pod.namespace}/${pod.name} to ${node}`;
  report.eventsOf(profile.schedulerName).record(pod.pod, { type: "Normal", reason: "Scheduled", message, action: "Binding" }, podKind);
  metrics.attempted("scheduled", profile.schedulerName, clock.monotonic() - startedAt);
  metrics.placed(queued.attempts, clock.now() - (queued.initialAttemptAt ?? queued.queuedAt));
  if (queued.flushed) metrics.placedAfterFlush();
  for (const plugin of profile.postBind) {
    try {
      plugin.postBind?.(state, pod, node);
    } catch (error) {
      report.log.warn({ pod: pod.key, plugin: plugin.name, error }, "failed to run PostBind plugin");
    }
  }
}

/** Runs Unreserve in reverse order, and takes the assumed Pod out of the cache. True when it was still there. */
export function forgetPlacement(
  { cache, report }: Pick<BindingParts, "cache" | "report">,
  { profile, state, pod, node }: Placement,
): boolean {
  for (const plugin of profile.reserve.toReversed()) {
    try {
      plugin.unreserve?.(state, pod, node);
    } catch (error) {
      report.log.warn({ pod: pod.key, plugin: plugin.name, error }, "failed to run Unreserve plugin");
    }
  }
  return cache.forget(pod.uid) !== undefined;
}

function handleBindingFailure(
  parts: BindingParts,
  { profile, queued, pod, node, startedAt }: Placement,
  { point, status }: BindingFailure,
): void {
  const isRejected = status.code !== "Error";
  const failureOf = isRejected
    ? point === "Permit"
      ? unschedulableFailure
      : preBindFailure
    : (one: Status) => errorFailure(statusMessage(one), startedAt);
  const leaves = { resource: "AssignedPod", action: "delete", before: pod.pod, after: undefined } as const;
  // A Pod that was rejected does not become schedulable by its own leaving.
  if (!isRejected) parts.queue.moveAllToActiveOrBackoffQueue(leaves);
  parts.failures.handle(profile, queued, failureOf(status, startedAt));
  if (isRejected) parts.queue.moveAllToActiveOrBackoffQueue(leaves, ({ uid }) => uid !== pod.uid);
  parts.report.log.debug({ pod: pod.key, node, reason: statusMessage(status) }, "failed to bind pod");
}

/** The failure of a Pod that a plugin rejected on the node that was chosen for it. */
export const unschedulableFailure = (status: Status, startedAt: number): Failure => ({
  reason: "Unschedulable",
  message: fitErrorMessage({ nodes: 1, reasons: new Map(status.reasons.map((reason) => [reason, 1])) }),
  unschedulablePlugins: new Set(status.plugin === undefined || status.plugin === "" ? [] : [status.plugin]),
  pendingPlugins: new Set(status.code === "Pending" && status.plugin !== undefined ? [status.plugin] : []),
  nominatedNode: "",
  startedAt,
});

/** No event is known that would help: without an unschedulable plugin the Pod comes back after its backoff. */
const preBindFailure = (status: Status, startedAt: number): Failure => ({
  ...errorFailure(statusMessage(status), startedAt),
  reason: "Unschedulable",
});
