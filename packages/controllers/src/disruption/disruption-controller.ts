import {
  type Change,
  type Controller,
  controller,
  controllerOf,
  deployments,
  done,
  type KubeObject,
  type Outcome,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
  watching,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { act } from "./act.ts";
import { budgetsOf } from "./budgets-of-pod.ts";
import type { Budget } from "./expected-pods.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { stalePods } from "./stale-pods.ts";

/**
 * The disruption-controller writes into PodDisruptionBudgets how many Pods may be evicted, and removes the condition DisruptionTarget
 * from Pods that were not evicted after all.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets
 */
export const disruptionController: BuiltInController = {
  name: "disruption-controller",
  serviceAccount: "disruption-controller",
  aliases: ["disruption"],
  make: () => [budgets(new WeakSet()), stalePods()],
};

/** `reported` are the Pods of which it was reported that several budgets match them. */
const budgets = (reported: WeakSet<Pod>): Controller =>
  controller<Budget>({
    name: "disruption-controller",
    component: "controllermanager",
    for: podDisruptionBudgets,
    watches: [
      watching(pods, (pod, change, { main }) => (mattersTo(pod, change) ? budgetsOf(pod, main()) : [])),
      // Read, but their changes cause no reconcile: what they change shows in their Pods.
      ...[replicationControllers, replicaSets, deployments, statefulSets].map((ref) => watching<KubeObject>(ref, () => [])),
    ],
    reconcile: async (ref, ctx): Promise<Outcome> => {
      const { object: budget } = ctx;
      if (budget === undefined) return done;
      const observed = await observe(ref, ctx, budget);
      return await act(ref, ctx, { observed, planned: plan(observed) }, reported);
    },
  });

function mattersTo(pod: Pod, change: Change<Pod>): boolean {
  if (change.type !== "updated") return true;
  const { previous, object } = change;
  const isMoved = !deepEqual(previous.metadata?.labels, object.metadata?.labels);
  if (pod !== object || isMoved) return isMoved;
  return (
    isPodReady(previous) !== isPodReady(object) ||
    previous.metadata?.deletionTimestamp !== object.metadata?.deletionTimestamp ||
    controllerOf(previous)?.uid !== controllerOf(object)?.uid
  );
}
