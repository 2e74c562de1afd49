/** From the choice of a node to the Pod being bound to it, beside the attempts to place others. */
import type { CycleState } from "../framework/cycle-state.ts";
import { fitErrorMessage } from "../framework/fit-error.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { podKind } from "../framework/pod-kind.ts";
import { errorStatus, type Status } from "../framework/status.ts";
import { statusLabel } from "../metrics/scheduler-metrics.ts";
import type { QueuedPod } from "../queue/queued-pod.ts";
import { statusMessage } from "../runtime/diagnosis.ts";
import { PluginFailure } from "../runtime/plugin-failure.ts";
import type { Profile } from "../runtime/profile.ts";
import { errorFailure, type Failure, handleSchedulingFailure } from "./failure.ts";
import type { SchedulerParts } from "./scheduler-parts.ts";

export interface Placement {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly queued: QueuedPod;
  /** As it is counted on the node. */
  readonly pod: PodInfo;
  readonly node: string;
  /** Plugins for whose leave the Pod waits, and how long at most; milliseconds. */
  readonly permitWaits: ReadonlyMap<string, number>;
  readonly startedAt: number;
}

/** Where a Pod was refused. From `PreBind` on nothing is kept of what happens meanwhile. */
interface BindingFailure {
  readonly point: "Permit" | "PreBind" | "Bind";
  readonly status: Status;
}

export async function runBindingCycle(parts: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<void> {
  let refused: BindingFailure | undefined;
  try {
    refused = await bindingCycle(parts, placement, signal);
  } catch (error) {
    refused = { point: "Bind", status: errorStatus(error instanceof Error ? error.message : String(error)) };
  }
  if (refused === undefined) return recordBound(parts, placement);
  undoPlacement(parts, placement);
  // A scheduler that ends leaves the Pod as it is: the next one finds it.
  if (!signal.aborted) handleBindingFailure(parts, placement, refused);
}

async function bindingCycle(parts: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<BindingFailure | undefined> {
  const { profile, pod, node, permitWaits: waits } = placement;
  const { metrics } = parts;
  if (waits.size > 0 || willPreBind(placement)) await writeNomination(parts, placement, signal);
  if (waits.size > 0) {
    const status = await waitOnPermit(parts, placement, signal);
    if (status !== undefined) return { point: "Permit", status: status };
  }
  // Whatever fails from here on is tried again after a backoff: what happens in the cluster need not be kept for the Pod.
  parts.queue.done(pod.uid);
  if (profile.preBind.length > 0) {
    const run = () => parts.bindings.duringPreBind({ pod, node }, signal, (stopped) => preBind(placement, stopped));
    const status = await metrics.timedAsync("PreBind", profile.schedulerName, run, statusLabel);
    if (status !== undefined) return { point: "PreBind", status: status };
  }
  const run = () => parts.requests.run(() => bind(parts, placement, signal));
  const status = await metrics.timedAsync("Bind", profile.schedulerName, run, statusLabel);
  return status && { point: "Bind", status: status };
}

const willPreBind = ({ profile, state, pod, node }: Placement): boolean =>
  profile.preBind.some((plugin) => plugin.willPreBind?.(state, pod, node) === true);

/** Others, above all those that add and remove nodes, shall know where the Pod is going while that takes time. */
async function writeNomination({ status, log }: SchedulerParts, { queued, node }: Placement, signal: AbortSignal): Promise<void> {
  try {
    await status.write(queued.pod.pod, { nominatedNode: node }, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ pod: queued.pod.key, error }, "a nomination was not written");
  }
}

async function waitOnPermit(parts: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<Status | undefined> {
  const { clock } = parts.client;
  const since = clock.monotonic();
  const unschedulableFailure = await parts.bindings.waitOnPermit(placement, placement.permitWaits, signal);
  parts.metrics.permitted(unschedulableFailure === undefined ? "Success" : "Unschedulable", clock.monotonic() - since);
  return unschedulableFailure;
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
async function bind({ extenders }: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<Status | undefined> {
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

function recordBound(parts: SchedulerParts, { profile, state, queued, pod, node, startedAt }: Placement): void {
  const { metrics, client } = parts;
  const message = `Successfully assigned ${pod.namespace}/${pod.name} to ${node}`;
  parts.eventsOf(profile.schedulerName).record(pod.pod, { type: "Normal", reason: "Scheduled", message, action: "Binding" }, podKind);
  metrics.attempted("scheduled", profile.schedulerName, client.clock.monotonic() - startedAt);
  metrics.placed(queued.attempts, client.clock.now() - (queued.initialAttemptAt ?? queued.queuedAt));
  if (queued.flushed) metrics.placedAfterFlush();
  for (const plugin of profile.postBind) {
    try {
      plugin.postBind?.(state, pod, node);
    } catch (error) {
      parts.log.warn({ pod: pod.key, plugin: plugin.name, error }, "a plugin failed after the binding");
    }
  }
}

/** In the order opposite to that in which it was done. True when the Pod was still counted on the node. */
export function undoPlacement({ cache, log }: SchedulerParts, { profile, state, pod, node }: Placement): boolean {
  for (const plugin of profile.reserve.toReversed()) {
    try {
      plugin.unreserve?.(state, pod, node);
    } catch (error) {
      log.warn({ pod: pod.key, plugin: plugin.name, error }, "a plugin failed to undo a reservation");
    }
  }
  return cache.forget(pod.uid) !== undefined;
}

function handleBindingFailure(
  parts: SchedulerParts,
  { profile, queued, pod, node, startedAt }: Placement,
  { point: at, status }: BindingFailure,
): void {
  const refused = status.code !== "Error";
  const failureOf = refused ? (at === "Permit" ? refusal : preBindFailure) : (one: Status) => errorFailure(statusMessage(one), startedAt);
  const leaves = { resource: "AssignedPod", action: "delete", before: pod.pod, after: undefined } as const;
  // A Pod that was refused does not become schedulable by its own leaving.
  if (!refused) parts.queue.moveAllToActiveOrBackoffQueue(leaves);
  handleSchedulingFailure(parts, profile, queued, failureOf(status, startedAt));
  if (refused) parts.queue.moveAllToActiveOrBackoffQueue(leaves, ({ uid }) => uid !== pod.uid);
  parts.log.debug({ pod: pod.key, node, reason: statusMessage(status) }, "a pod was not bound");
}

/** Said of the one node that was chosen. */
export const refusal = (status: Status, startedAt: number): Failure => ({
  reason: "Unschedulable",
  message: fitErrorMessage({ nodes: 1, reasons: new Map(status.reasons.map((reason) => [reason, 1])) }),
  unschedulablePlugins: new Set(status.plugin === undefined || status.plugin === "" ? [] : [status.plugin]),
  pendingPlugins: new Set(status.code === "Pending" && status.plugin !== undefined ? [status.plugin] : []),
  nominatedNode: "",
  startedAt,
});

/** Nobody can tell what would change the plugin's mind: without one that has refused it, the Pod comes again after its backoff. */
const preBindFailure = (status: Status, startedAt: number): Failure => ({
  ...errorFailure(statusMessage(status), startedAt),
  reason: "Unschedulable",
});
