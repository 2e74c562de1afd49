/** What a Node says of itself, and where it is. */
import type { coreV1 } from "@coxswain/api";

export type Node = coreV1.Node;
export type NodeCondition = coreV1.NodeCondition;
export type Taint = coreV1.Taint;

export const nodeCondition = ({ status }: Node, type: string): NodeCondition | undefined =>
  status?.conditions?.find((one) => one.type === type);

/** Nodes in one zone fail together: evictions are limited zone by zone. */
export function zoneOf({ metadata }: Node): string {
  const label = (name: string): string =>
    metadata?.labels?.[`topology.kubernetes.io/${name}`] ?? metadata?.labels?.[`failure-domain.beta.kubernetes.io/${name}`] ?? "";
  return `${label("region")}/${label("zone")}`;
}

/** Nodes that come and go by design say nothing about the health of their zone. */
export const countsForZone = ({ metadata }: Node): boolean => metadata?.labels?.["node.kubernetes.io/exclude-disruption"] === undefined;
