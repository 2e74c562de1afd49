import {
  type Client,
  type Controller,
  controller,
  done,
  nodes,
  type Outcome,
  pods,
  type ReconcileContext,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { monitoringNodes, patchTaints } from "./monitor.ts";
import { type Node, nodeCondition } from "./node-state.ts";
import { markNotReady } from "./pods-not-ready.ts";
import { noScheduleChange, taintsAfter } from "./taints.ts";

/** Tells of Nodes whether they are still heard of, and keeps Pods away from those that are not. */
export const nodeLifecycleController: BuiltInController = {
  name: "node-lifecycle-controller",
  aliases: ["nodelifecycle"],
  make: () => [keepingTaints(), markingLatePods(), monitoringNodes()],
};

const component = "node-controller";

const keepingTaints = (): Controller =>
  controller<Node>({
    name: "node-lifecycle-controller",
    component,
    for: nodes,
    concurrency: 8,
    reconcile: async (_ref, { object, client, signal }) => {
      if (object === undefined) return done;
      const taints = taintsAfter(object, noScheduleChange(object), client.clock.now());
      if (taints !== undefined) await patchTaints(client, object, taints, signal);
      return await keepLabels(object, client, signal);
    },
  });

/** The old names follow the new ones. */
const labelPairs = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

async function keepLabels({ metadata }: Node, client: Client, signal: AbortSignal): Promise<Outcome> {
  const labels = metadata?.labels ?? {};
  const stale = labelPairs.filter(([primary, secondary]) => labels[primary] !== undefined && labels[secondary] !== labels[primary]);
  if (stale.length === 0) return done;
  const patch = { metadata: { labels: Object.fromEntries(stale.map(([primary, secondary]) => [secondary, labels[primary]])) } };
  await client.resource(nodes).patch(metadata?.name ?? "", { type: "strategic", patch }, { signal });
  return done;
}

/** Those of which the caches learn only now that they were ready: of a Node that is not heard of nobody can say so. */
const markingLatePods = (): Controller =>
  controller<Pod>({
    name: "node-lifecycle-controller-pods",
    component,
    for: pods,
    predicate: (change) =>
      change.type !== "deleted" && isPodReady(change.object) && (change.type === "added" || !isPodReady(change.previous)),
    watches: [watching(nodes, () => [])],
    concurrency: 4,
    reconcile: (_ref, ctx) => reconcilePod(ctx),
  });

async function reconcilePod({ object: pod, cache, client, events, signal }: ReconcileContext<Pod>): Promise<Outcome> {
  const name = pod?.spec?.nodeName ?? "";
  const node = name === "" ? undefined : cache(nodes).get({ name });
  if (pod === undefined || node === undefined || nodeCondition(node, "Ready")?.status !== "Unknown" || !isPodReady(pod)) return done;
  await markNotReady([pod], { client, events, signal });
  return done;
}
