/** What the network of a node's Pods is to be, computed from the Nodes. */
import { type coreV1, podCidrsOf } from "@coxswain/api";
import { type Cidr, cidrContains, formatCidr, formatIp, parseCidr, parseIp } from "@coxswain/machinery";

type Node = coreV1.Node;

/** To the Pods of another node. */
export interface PodRoute {
  /** The range of its Pods. */
  readonly to: string;
  /** Its address; undefined: what leads there has no end, as of the node's own range what is no Pod's. */
  readonly via: string | undefined;
}

export interface DesiredNetwork {
  /** Of the node's own Pods, one range of each family; none while it has not been given any. */
  readonly own: readonly string[];
  /** Of the Pods of all nodes. */
  readonly all: readonly string[];
  readonly routes: readonly PodRoute[];
}

export interface NetworkView {
  /** Undefined: this machine is none of the nodes, and has a way to the Pods of each. */
  readonly nodeName: string | undefined;
  /** The cluster's ranges: who says that its Pods have others is not believed. None: whatever Nodes have counts. */
  readonly clusterCidrs: readonly string[];
}

/** Of two Nodes with ranges that overlap, the older one has it. */
export function desiredNetwork(nodes: readonly Node[], { nodeName, clusterCidrs }: NetworkView): DesiredNetwork {
  const allowed = clusterCidrs.flatMap((text) => parseCidr(text) ?? []);
  const taken: Cidr[] = [];
  const own: string[] = [];
  const routes: PodRoute[] = [];
  for (const node of nodes.toSorted(byAge))
    for (const range of rangesOf(node)) {
      if (allowed.length > 0 && !allowed.some((one) => isWithin(range, one))) continue;
      if (taken.some((other) => isWithin(range, other) || isWithin(other, range))) continue;
      taken.push(range);
      if (node.metadata?.name === nodeName) own.push(formatCidr(range));
      else {
        const via = addressOf(node, range.address.family);
        if (via !== undefined) routes.push({ to: formatCidr(range), via });
      }
    }
  return { own, all: taken.map(formatCidr), routes };
}

function byAge({ metadata: a }: Node, { metadata: b }: Node): number {
  const [x, y] = [a, b].map((one) => `${one?.creationTimestamp ?? ""} ${one?.name ?? ""}`);
  return x === y ? 0 : (x ?? "") < (y ?? "") ? -1 : 1;
}

const rangesOf = (node: Node): readonly Cidr[] => podCidrsOf(node).flatMap((text) => parseCidr(text) ?? []);

const isWithin = (inner: Cidr, outer: Cidr): boolean => inner.prefixLength >= outer.prefixLength && cidrContains(outer, inner.address);

/** Where its kubelet says that other nodes reach it. */
function addressOf({ status }: Node, family: 4 | 6): string | undefined {
  for (const { type, address } of status?.addresses ?? []) {
    const ip = type === "InternalIP" ? parseIp(address) : undefined;
    if (ip?.family === family) return formatIp(ip);
  }
  return undefined;
}
