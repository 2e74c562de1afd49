/** Which taints and labels a Node gets. */
import type { Node, Taint } from "./node-state.ts";
import { noScheduleChange, taintsAfter } from "./taints.ts";

export interface ObservedNode {
  readonly node: Node;
  readonly nowMs: number;
}

export interface NodePlan {
  /** All taints of the Node; undefined when they stay. */
  readonly taints: Taint[] | undefined;
  /** Those that change; undefined when none does. */
  readonly labels: Readonly<Record<string, string | undefined>> | undefined;
}

/** The deprecated label has the value of the current one. */
const labelPairs = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

export function plan({ node, nowMs }: ObservedNode): NodePlan {
  const labels = node.metadata?.labels ?? {};
  const stale = labelPairs.filter(([primary, secondary]) => labels[primary] !== undefined && labels[secondary] !== labels[primary]);
  return {
    taints: taintsAfter(node, noScheduleChange(node), nowMs),
    labels: stale.length === 0 ? undefined : Object.fromEntries(stale.map(([primary, secondary]) => [secondary, labels[primary]])),
  };
}
