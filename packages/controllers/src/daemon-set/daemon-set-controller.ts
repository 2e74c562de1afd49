import {
  controller,
  controllerRevisions,
  daemonSets,
  done,
  itsController,
  nodes,
  type Outcome,
  type Predicate,
  pods,
  type ReconcileContext,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { adoptable } from "../shared/pods/orphans.ts";
import { act } from "./act.ts";
import type { DaemonSet } from "./daemon-pod.ts";
import { FailedPods } from "./failed-pods.ts";
import { byTargetNode, changesPlacement, daemonSetsOfNode } from "./node-changes.ts";
import { observe, selectorOf } from "./observe.ts";
import { plan } from "./plan.ts";

/**
 * The daemonset-controller keeps a Pod on every Node that a DaemonSet selects.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
 */
export const daemonSetController: BuiltInController = {
  name: "daemonset-controller",
  serviceAccount: "daemon-set-controller",
  aliases: ["daemonset"],
  make: () => {
    const failures = new FailedPods();
    return [
      controller<DaemonSet>({
        name: "daemonset-controller",
        component: "daemonset-controller",
        for: daemonSets,
        owns: [pods],
        watches: [
          adoptable<DaemonSet>(pods, selectorOf),
          adoptable<DaemonSet>(controllerRevisions, selectorOf),
          watching(controllerRevisions, itsController(daemonSets), { predicate: isNotNew }),
          watching(pods, () => [], { indexes: byTargetNode }),
          watching(nodes, daemonSetsOfNode, { predicate: changesPlacement }),
        ],
        concurrency: 2,
        reconcile: (_ref, ctx) => reconcile(ctx, failures),
      }),
    ];
  },
};

/** A new revision causes no reconcile: the controller creates them itself. */
const isNotNew: Predicate = ({ type, object }) => type !== "added" || object.metadata?.deletionTimestamp !== undefined;

async function reconcile(ctx: ReconcileContext<DaemonSet>, failures: FailedPods): Promise<Outcome> {
  const { object: daemonSet } = ctx;
  if (daemonSet === undefined) return done;
  if (selectorOf(daemonSet).empty) return reportSelectsAll(ctx, daemonSet);
  // Its revisions may be gone already, and without them nothing can be said of its Pods.
  if (daemonSet.metadata?.deletionTimestamp !== undefined) return done;
  const observed = await observe(ctx, daemonSet, failures);
  return await act(ctx, observed, plan(observed), failures);
}

/** The API server rejects an empty selector; one that was stored before would select every Pod. */
function reportSelectsAll({ events }: ReconcileContext<DaemonSet>, daemonSet: DaemonSet): Outcome {
  const message = "This daemon set is selecting all pods. A non-empty selector is required.";
  events.record(daemonSet, { type: "Warning", reason: "SelectingAll", message }, daemonSets);
  return done;
}
