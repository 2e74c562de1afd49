/**
 * Keeps Pods from nodes whose taints they do not tolerate, and prefers those with fewer that ask to be avoided.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
import { isRepelled, tolerates } from "@coxswain/api";
import type { Node } from "../../framework/node-info.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import type { Pod } from "../../framework/pod-info.ts";
import { unschedulableAndUnresolvable } from "../../framework/status.ts";
import { nodeOf } from "../event-objects.ts";
import { normalizeByLargest } from "../normalize.ts";

const tainted = unschedulableAndUnresolvable("node(s) had untolerated taint(s)");

export const taintToleration: PluginFactory = () => ({
  name: "TaintToleration",
  events: [
    {
      event: { resource: "Node", actions: ["add", "updateTaints"] },
      hint: ({ pod }, before, after) => !repels(nodeOf(after), pod) && (before === undefined || repels(nodeOf(before), pod)),
    },
    {
      event: { resource: "UnscheduledPod", actions: ["updateTolerations"] },
      hint: ({ uid }, _, after) => after?.metadata?.uid === uid,
    },
  ],
  filter: (_, { pod }, { taints, node }) => (taints !== undefined && repels(node, pod) ? tainted : undefined),
  score: (_, { pod }, { taints, node }) => (taints === undefined ? 0 : countToAvoid(node, pod)),
  normalizeScore: (_state, _pod, scores) => normalizeByLargest(scores, { reverse: true }),
});

const repelling = ["NoSchedule", "NoExecute"];

const repels = (node: Node | undefined, pod: Pod): boolean => isRepelled(node?.spec?.taints, pod.spec?.tolerations, repelling);

function countToAvoid({ spec }: Node, pod: Pod): number {
  let count = 0;
  for (const taint of spec?.taints ?? [])
    if (taint.effect === "PreferNoSchedule" && pod.spec?.tolerations?.some((toleration) => tolerates(toleration, taint)) !== true) count++;
  return count;
}
