import { type Controller, controller, nodes, type ObjectRef, pods, watching } from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { byNode, podsByNode } from "../shared/pods/by-node.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { act } from "./act.ts";
import { type Deadlines, observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { noExecuteTaints } from "./tolerations.ts";

/**
 * The taint-eviction-controller deletes Pods that do not tolerate the NoExecute taints of their Nodes, at once or after as long as
 * they tolerate them.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions
 */
export const taintEvictionController: BuiltInController = {
  name: "taint-eviction-controller",
  serviceAccount: "node-controller",
  make: () => [evicting(new Map())],
};

const evicting = (deadlines: Deadlines): Controller =>
  controller<Pod>({
    name: "taint-eviction-controller",
    for: pods,
    indexes: podsByNode,
    predicate: (change) => change.type !== "updated" || !deepEqual(relevantFields(change.previous), relevantFields(change.object)),
    watches: [
      watching(
        nodes,
        ({ metadata }, _change, { cache }) =>
          cache(pods)
            .byIndex(byNode, metadata?.name ?? "")
            .map(refTo),
        {
          // A new Node may have Pods that were there before it.
          predicate: (change) =>
            change.type === "added" ||
            (change.type === "updated" &&
              !deepEqual(noExecuteTaints(change.previous.spec?.taints), noExecuteTaints(change.object.spec?.taints))),
        },
      ),
    ],
    concurrency: 8,
    reconcile: (ref, ctx) => act(ref, ctx, plan(observe(ref, ctx, deadlines)), deadlines),
  });

const relevantFields = ({ metadata, spec }: Pod): unknown => [metadata?.deletionTimestamp, spec?.nodeName, spec?.tolerations];

const refTo = ({ metadata }: Pod): ObjectRef => ({ namespace: metadata?.namespace, name: metadata?.name ?? "" });
