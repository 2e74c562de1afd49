/** Kubernetes' sentence about a Pod that fits nowhere. */
import type { NodeToStatus } from "./plugin.ts";

/** A FitError says why a Pod fits no node: kube-scheduler's `framework.FitError`. */
export interface FitError {
  /** How many nodes there are. */
  readonly nodes: number;
  /** Why it was not even asked which node fits; then nodes have nothing to say. */
  readonly preFilter?: string;
  /** How many nodes said it, by what they said. */
  readonly reasons: ReadonlyMap<string, number>;
  /** What became of making room. */
  readonly postFilter?: string;
}

/**
 * Prints a FitError as Events and conditions have it: `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.
 * preemption: …`
 */
export function fitErrorMessage({ nodes, preFilter = "", reasons, postFilter = "" }: FitError): string {
  const said =
    preFilter === ""
      ? Array.from(reasons, ([reason, count]) => `${count} ${reason}`)
          .sort()
          .join(", ")
      : preFilter;
  return [`0/${nodes} nodes are available:`, ...(said === "" ? [] : [`${said}.`]), ...(postFilter === "" ? [] : [postFilter])].join(" ");
}

/** Counts nodes by reason. `absent` is the reason of nodes that have no Status. */
export function countReasons(statuses: NodeToStatus, nodes: number, absent?: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (reason: string, times: number): void => void counts.set(reason, (counts.get(reason) ?? 0) + times);
  for (const { reasons } of statuses.values()) for (const reason of reasons) add(reason, 1);
  if (absent !== undefined && statuses.size < nodes) add(absent, nodes - statuses.size);
  return counts;
}
