/** From the choice of a node to the Pod being bound to it, beside the attempts to place others. */
import type { CycleState } from "../framework/cycle-state.ts";
import { fitMessage } from "../framework/fit-message.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { podKind } from "../framework/pod-kind.ts";
import { failed, type Verdict } from "../framework/verdict.ts";
import { statusOf } from "../metrics.ts";
import type { Profile } from "../profile/profile.ts";
import type { WaitingPod } from "../queue/waiting-pod.ts";
import { messageOf } from "./diagnosis.ts";
import { errorFailure, type Failure, handleFailure } from "./failure.ts";
import { PluginFailure } from "./plugin-failure.ts";
import type { SchedulerParts } from "./scheduler-parts.ts";

export interface Placement {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly waiting: WaitingPod;
  /** As it is counted on the node. */
  readonly pod: PodInfo;
  readonly node: string;
  /** Plugins for whose leave the Pod waits, and how long at most; milliseconds. */
  readonly waits: ReadonlyMap<string, number>;
  readonly startedAt: number;
}

/** Where a Pod was refused. From `PreBind` on nothing is kept of what happens meanwhile. */
interface Refused {
  readonly at: "Permit" | "PreBind" | "Bind";
  readonly verdict: Verdict;
}

export async function bindPod(parts: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<void> {
  let refused: Refused | undefined;
  try {
    refused = await bindingCycle(parts, placement, signal);
  } catch (error) {
    refused = { at: "Bind", verdict: failed(error instanceof Error ? error.message : String(error)) };
  }
  if (refused === undefined) return bound(parts, placement);
  undoPlacement(parts, placement);
  // A scheduler that ends leaves the Pod as it is: the next one finds it.
  if (!signal.aborted) handleBindingFailure(parts, placement, refused);
}

async function bindingCycle(parts: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<Refused | undefined> {
  const { profile, pod, node, waits } = placement;
  const { metrics } = parts;
  if (waits.size > 0 || willPrepare(placement)) await announce(parts, placement, signal);
  if (waits.size > 0) {
    const verdict = await waitForLeave(parts, placement, signal);
    if (verdict !== undefined) return { at: "Permit", verdict };
  }
  // Whatever fails from here on is tried again after a backoff: what happens in the cluster need not be kept for the Pod.
  parts.queue.done(pod.uid);
  if (profile.preBind.length > 0) {
    const run = () => parts.bindings.stoppable({ pod, node }, signal, (stopped) => preBind(placement, stopped));
    const verdict = await metrics.timedAsync("PreBind", profile.schedulerName, run, statusOf);
    if (verdict !== undefined) return { at: "PreBind", verdict };
  }
  const run = () => parts.slots.during(() => bind(parts, placement, signal));
  const verdict = await metrics.timedAsync("Bind", profile.schedulerName, run, statusOf);
  return verdict && { at: "Bind", verdict };
}

const willPrepare = ({ profile, state, pod, node }: Placement): boolean =>
  profile.preBind.some((plugin) => plugin.willPreBind?.(state, pod, node) === true);

/** Others, above all those that add and remove nodes, shall know where the Pod is going while that takes time. */
async function announce({ status, log }: SchedulerParts, { waiting, node }: Placement, signal: AbortSignal): Promise<void> {
  try {
    await status.write(waiting.pod.pod, { nominatedNode: node }, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ pod: waiting.pod.key, error }, "a nomination was not written");
  }
}

async function waitForLeave(parts: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<Verdict | undefined> {
  const { clock } = parts.client;
  const since = clock.monotonic();
  const refusal = await parts.bindings.permitted(placement, placement.waits, signal);
  parts.metrics.permitted(refusal === undefined ? "Success" : "Unschedulable", clock.monotonic() - since);
  return refusal;
}

async function preBind({ profile, state, pod, node }: Placement, signal: AbortSignal): Promise<Verdict | undefined> {
  for (const plugin of profile.preBind) {
    if (plugin.preBind === undefined) continue;
    let verdict: Verdict | undefined;
    try {
      verdict = await plugin.preBind(state, pod, node, signal);
    } catch (error) {
      throw PluginFailure.of("PreBind", plugin.name, signal.aborted ? signal.reason : error);
    }
    if (verdict?.kind === "error") throw new PluginFailure("PreBind", plugin.name, messageOf(verdict));
    if (verdict !== undefined) return { ...verdict, plugin: plugin.name };
  }
  return undefined;
}

/** An extender that binds goes before the plugins. */
async function bind({ extenders }: SchedulerParts, placement: Placement, signal: AbortSignal): Promise<Verdict | undefined> {
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
    if (said?.kind === "error") throw new PluginFailure("Bind", plugin.name, messageOf(said));
    if (said !== undefined) return { ...said, plugin: plugin.name };
  }
  return failed("no plugin has bound the pod");
}

function bound(parts: SchedulerParts, { profile, state, waiting, pod, node, startedAt }: Placement): void {
  const { metrics, client } = parts;
  const message = `Successfully assigned ${pod.namespace}/${pod.name} to ${node}`;
  parts.eventsOf(profile.schedulerName).record(pod.pod, { type: "Normal", reason: "Scheduled", message, action: "Binding" }, podKind);
  metrics.attempted("scheduled", profile.schedulerName, client.clock.monotonic() - startedAt);
  metrics.placed(waiting.attempts, client.clock.now() - (waiting.firstTriedAt ?? waiting.queuedAt));
  if (waiting.flushed) metrics.placedAfterFlush();
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
  { profile, waiting, pod, node, startedAt }: Placement,
  { at, verdict }: Refused,
): void {
  const refused = verdict.kind !== "error";
  const failureOf = refused ? (at === "Permit" ? refusal : lateRefusal) : (one: Verdict) => errorFailure(messageOf(one), startedAt);
  const leaves = { resource: "AssignedPod", action: "delete", before: pod.pod, after: undefined } as const;
  // A Pod that was refused does not become schedulable by its own leaving.
  if (!refused) parts.queue.move(leaves);
  handleFailure(parts, profile, waiting, failureOf(verdict, startedAt));
  if (refused) parts.queue.move(leaves, ({ uid }) => uid !== pod.uid);
  parts.log.debug({ pod: pod.key, node, reason: messageOf(verdict) }, "a pod was not bound");
}

/** Said of the one node that was chosen. */
export const refusal = (verdict: Verdict, startedAt: number): Failure => ({
  reason: "Unschedulable",
  message: fitMessage({ nodes: 1, reasons: new Map(verdict.reasons.map((reason) => [reason, 1])) }),
  refusedBy: new Set(verdict.plugin === undefined || verdict.plugin === "" ? [] : [verdict.plugin]),
  pendingOn: new Set(verdict.kind === "pending" && verdict.plugin !== undefined ? [verdict.plugin] : []),
  nominatedNode: "",
  startedAt,
});

/** Nobody can tell what would change the plugin's mind: without one that has refused it, the Pod comes again after its backoff. */
const lateRefusal = (verdict: Verdict, startedAt: number): Failure => ({
  ...errorFailure(messageOf(verdict), startedAt),
  reason: "Unschedulable",
});
