import { type Client, type EventRecorder, isObjectNotFound, nodes, pods, unlessNotFound } from "@coxswain/client";
import { wireTime } from "@coxswain/machinery";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import type { Node } from "./node-state.ts";
import type { NodePlan } from "./plan.ts";

export interface Marking {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/** Marks the Pods of a Node that is not ready as not ready: its kubelet cannot. @throws the first refusal, after the others */
export async function markNotReady(all: readonly Pod[], { client, events, signal }: Marking): Promise<void> {
  const outcomes = await Promise.allSettled(all.filter(isPodReady).map(mark));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;

  async function mark(pod: Pod): Promise<void> {
    try {
      await client.resource(pods, pod.metadata?.namespace).updateStatus(notReady(pod, client.clock.now()), { signal });
    } catch (error) {
      if (isObjectNotFound(error, pods, pod.metadata?.name ?? "")) return;
      throw error;
    }
    events.record(pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" }, pods);
  }
}

export function notReady(pod: Pod, nowMs: number): Pod {
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === "Ready" ? { ...condition, status: "False", lastTransitionTime: wireTime(nowMs) } : condition,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}

/** Writes the taints and labels that differ. */
export async function act(client: Client, node: Node, { taints, labels }: NodePlan, signal: AbortSignal): Promise<void> {
  if (taints !== undefined) await patchTaints(client, node, taints, signal);
  if (labels === undefined) return;
  await client.resource(nodes).patch(node.metadata?.name ?? "", { type: "strategic", patch: { metadata: { labels } } }, { signal });
}

/** Fails with a conflict when the Node has changed since: others taint it too. A Node that is gone is left alone. */
export async function patchTaints(client: Client, { metadata }: Node, taints: object[], signal: AbortSignal): Promise<void> {
  const { name = "", resourceVersion = "" } = metadata ?? {};
  const patch = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  await unlessNotFound(client.resource(nodes).patch(name, { type: "merge", patch }, { signal }), nodes, name);
}
