/** On which Nodes a DaemonSet's Pods belong. */
import { isRepelled, type Node, type NodeTest, requiredNodes } from "@coxswain/api";
import { type DaemonSet, daemonTolerations } from "./daemon-pod.ts";

/** Whether a Pod is to come, and whether one that is there may stay: taints need not drive away what they keep away. */
export type Placement = { readonly runs: true; readonly stays: true } | { readonly runs: false; readonly stays: boolean };

/** Read once for many Nodes. */
export function placementOf({ spec }: DaemonSet): (node: Node) => Placement {
  const pod = spec?.template?.spec ?? { containers: [] };
  const fits = named(pod.nodeName, requiredNodes(pod));
  const tolerations = daemonTolerations(pod);
  return (node) => {
    if (!fits(node)) return { runs: false, stays: false };
    const taints = node.spec?.taints;
    if (!isRepelled(taints, tolerations, ["NoSchedule", "NoExecute"])) return { runs: true, stays: true };
    return { runs: false, stays: !isRepelled(taints, tolerations, ["NoExecute"]) };
  };
}

const named = (nodeName: string | undefined, fits: NodeTest): NodeTest =>
  nodeName === undefined || nodeName === "" ? fits : (node) => node.metadata?.name === nodeName && fits(node);
