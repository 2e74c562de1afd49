/**
 * Keeps Pods from nodes that are cordoned.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#manual-node-administration
 */
import { isRepelled } from "@coxswain/api";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { unschedulableAndUnresolvable } from "../../framework/status.ts";
import { nodeOf, podOf } from "../event-objects.ts";

const cordoned = unschedulableAndUnresolvable("node(s) were unschedulable");

export const nodeUnschedulable: PluginFactory = () => ({
  name: "NodeUnschedulable",
  events: [
    {
      event: { resource: "Node", actions: ["add", "updateTaints"] },
      hint: (_, before, after) =>
        nodeOf(after)?.spec?.unschedulable !== true && (before === undefined || nodeOf(before)?.spec?.unschedulable === true),
    },
    {
      event: { resource: "UnscheduledPod", actions: ["updateTolerations"] },
      hint: ({ uid }, _, after) => after?.metadata?.uid === uid && isTolerant(podOf(after)),
    },
  ],
  preFilter: (_, { pod }) => (isTolerant(pod) ? skip : undefined),
  filter: (_, { pod }, { unschedulable }) => (!unschedulable || isTolerant(pod) ? undefined : cordoned),
});

const taint = [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }];

const isTolerant = (pod: Pod | undefined): boolean => !isRepelled(taint, pod?.spec?.tolerations, ["NoSchedule"]);
