/** Which number of seconds a Node is annotated with. */
import type { coreV1 } from "@coxswain/api";

export type Node = coreV1.Node;

export const annotation = "node.alpha.kubernetes.io/ttl";

export interface ObservedNode {
  /** Undefined when it is gone. */
  readonly node: Node | undefined;
  /** How many there are. */
  readonly nodes: number;
  /** The number of seconds so far. */
  readonly before: number;
}

export interface TtlPlan {
  readonly do: "nothing" | "annotate";
  readonly seconds: number;
}

export function plan({ node, nodes, before }: ObservedNode): TtlPlan {
  const seconds = cacheSeconds(nodes, before);
  const isAnnotated = node === undefined || node.metadata?.annotations?.[annotation] === String(seconds);
  return { do: isAnnotated ? "nothing" : "annotate", seconds };
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** They overlap, so that the number does not change back and forth on a border. */
const steps: readonly Step[] = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** How long kubelets may keep Secrets and ConfigMaps before they read them again, in a cluster of so many Nodes; `before` is what it was. */
export function cacheSeconds(nodes: number, before = 0): number {
  const current = steps.find(({ seconds }) => seconds === before);
  if (current !== undefined && nodes >= current.from && nodes <= current.to) return before;
  const growing = current === undefined || nodes > current.to;
  const fits = steps.filter(({ from, to }) => nodes >= from && nodes <= to);
  return (growing ? fits.at(0) : fits.at(-1))?.seconds ?? 0;
}
