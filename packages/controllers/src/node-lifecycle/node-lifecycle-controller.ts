import { type Controller, controller, done, nodes, type Outcome, pods, type ReconcileContext, watching } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { act, markNotReady } from "./act.ts";
import { monitorNodes } from "./monitor.ts";
import { type Node, nodeCondition } from "./node-state.ts";
import { type ObservedNode, plan } from "./plan.ts";

/**
 * The node-lifecycle-controller marks Nodes whose kubelet is silent as Unknown, and taints Nodes by their conditions.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller
 */
export const nodeLifecycleController: BuiltInController = {
  name: "node-lifecycle-controller",
  serviceAccount: "node-controller",
  aliases: ["nodelifecycle"],
  make: () => [nodeTaints(), latePods(), monitorNodes()],
};

const component = "node-controller";

const nodeTaints = (): Controller =>
  controller<Node>({
    name: "node-lifecycle-controller",
    component,
    for: nodes,
    concurrency: 8,
    reconcile: async (_ref, ctx): Promise<Outcome> => {
      const observed = observe(ctx);
      if (observed !== undefined) await act(ctx.client, observed.node, plan(observed), ctx.signal);
      return done;
    },
  });

const observe = ({ object: node, client }: ReconcileContext<Node>): ObservedNode | undefined => node && { node, nowMs: client.clock.now() };

/** Pods that the caches show as ready only now: on a Node whose kubelet is silent that is not known. */
const latePods = (): Controller =>
  controller<Pod>({
    name: "node-lifecycle-controller-pods",
    component,
    for: pods,
    predicate: (change) =>
      change.type !== "deleted" && isPodReady(change.object) && (change.type === "added" || !isPodReady(change.previous)),
    watches: [watching(nodes, () => [])],
    concurrency: 4,
    reconcile: (_ref, ctx) => markPod(ctx),
  });

async function markPod({ object: pod, cache, client, events, signal }: ReconcileContext<Pod>): Promise<Outcome> {
  const name = pod?.spec?.nodeName ?? "";
  const node = name === "" ? undefined : cache(nodes).get({ name });
  if (pod === undefined || node === undefined || nodeCondition(node, "Ready")?.status !== "Unknown" || !isPodReady(pod)) return done;
  await markNotReady([pod], { client, events, signal });
  return done;
}
