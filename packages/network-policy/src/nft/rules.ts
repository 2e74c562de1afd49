/** The whole table of one family: a pure function of what Pods are allowed. */
import { createHash } from "node:crypto";
import { type Hook, type IpFamily, nftStatements, type Rule } from "@coxswain/proxy";
import type { PolicyPod } from "../contracts/policy-pod.ts";
import { elementsOf, type PolicyChain, type PolicySet, type PolicyTable, type SetElement } from "../contracts/policy-table.ts";
import type { PeerSets } from "../rules/peer-sets.ts";
import type { Allowance, NodeRules, PeerMatch, PodRules } from "../rules/pod-rules.ts";
import { type Direction, directions } from "../rules/read-policy.ts";
import { accept, chainOf, inRanges, neighbourDiscovery, ofKnownConnection, returns, toEndpoint, toItself, toPorts } from "./statements.ts";

const { daddr, drop, inSet, saddr } = nftStatements;

/** Addresses that count as the node's, as it is allowed whatever policies say; texts that are none are left out. */
export interface NodeAddresses {
  readonly IPv4: readonly string[];
  readonly IPv6: readonly string[];
}

/**
 * Behind the translation of Services' addresses, and before the source becomes the node's; those of Services without endpoints have
 * been refused. What the node itself sends and gets is not forwarded: it is always allowed, as Kubernetes has it for probes.
 */
const forward: Hook = { type: "filter", hook: "forward", prio: 10 };

/** Equal arguments, equal tables. */
export function policyTable(family: IpFamily, { pods, sets }: NodeRules, nodeAddresses: NodeAddresses): PolicyTable {
  const here = pods.filter(({ pod }) => pod.addresses[family] !== undefined);
  const chains = new Map<string, PolicyChain>([["forward", { hook: forward, rules: forwardRules(family) }]]);
  for (const direction of directions)
    for (const { pod, allows } of here) {
      const allowed = allows[direction];
      if (allowed !== undefined) chains.set(chainName(direction, pod), { rules: podRules(family, direction, allowed) });
    }
  return {
    family,
    chains,
    sets: new Map<string, PolicySet>([
      ["node-addresses", { key: ["address"], isMap: false, elements: elementsOf(nodeAddresses[family].map((ip) => ({ key: [ip] }))) }],
      ["own-addresses", { key: ["address", "address"], isMap: false, elements: elementsOf(ownAddresses(family, here)) }],
      ...directions.map((direction) => [direction, chainMap(family, direction, here)] as const),
      ...peerSets(family, sets),
    ]),
  };
}

const forwardRules = (family: IpFamily): readonly Rule[] => [
  [ofKnownConnection, accept],
  ...(family === "IPv6" ? [[neighbourDiscovery, accept]] : []),
  [inSet(saddr(family), "node-addresses"), accept],
  [inSet(daddr(family), "node-addresses"), accept],
  // A Pod that comes back to itself through a Service; nobody can keep it from itself.
  [toItself(family, "own-addresses"), accept],
  [chainOf(family, "saddr", "egress")],
  [chainOf(family, "daddr", "ingress")],
];

/** Names of Pods may be longer than those of chains. */
const chainName = (direction: Direction, { namespace, name, uid }: PolicyPod): string =>
  `${direction}/${namespace}/${name.slice(0, 100)}/${createHash("sha256").update(uid).digest("hex").slice(0, 8)}`;

/** What is allowed comes back and is asked about the other direction; what remains is dropped. */
function podRules(family: IpFamily, direction: Direction, allowed: readonly Allowance[]): readonly Rule[] {
  const rules = allowed.flatMap((allowance) => {
    const matches = allowanceMatches(family, direction, allowance);
    return matches === undefined ? [] : [[...matches, returns]];
  });
  // Policies often say the same.
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(), [drop]];
}

function allowanceMatches(family: IpFamily, direction: Direction, allowance: Allowance): Rule | undefined {
  if (allowance.kind === "endpoints") return [toEndpoint(family, allowance.set)];
  const { peers, ports } = allowance;
  const ofPeers = peerMatches(family, direction, peers);
  return ofPeers && [...ofPeers, ...(ports.kind === "any" ? [] : toPorts(ports.protocol, ports.ranges))];
}

function peerMatches(family: IpFamily, direction: Direction, peers: PeerMatch): Rule | undefined {
  const which = direction === "ingress" ? "saddr" : "daddr";
  switch (peers.kind) {
    case "anybody":
      return [];
    case "set":
      return [inSet(direction === "ingress" ? saddr(family) : daddr(family), peers.name)];
    case "block":
      return inRanges(family, which, peers.addresses);
  }
}

const ownAddresses = (family: IpFamily, pods: readonly PodRules[]): readonly SetElement[] =>
  pods.flatMap(({ pod }) => {
    const address = pod.addresses[family];
    return address === undefined ? [] : [{ key: [address, address] }];
  });

function chainMap(family: IpFamily, direction: Direction, pods: readonly PodRules[]): PolicySet {
  const elements = pods.flatMap(({ pod, allows }): SetElement[] => {
    const address = pod.addresses[family];
    return address === undefined || allows[direction] === undefined ? [] : [{ key: [address], jump: chainName(direction, pod) }];
  });
  return { key: ["address"], isMap: true, elements: elementsOf(elements) };
}

function* peerSets(family: IpFamily, { pods, endpoints }: PeerSets): Iterable<readonly [string, PolicySet]> {
  for (const [name, members] of pods)
    yield [name, { key: ["address"], isMap: false, elements: elementsOf(members.flatMap(({ addresses }) => keyed(addresses[family]))) }];
  for (const [name, members] of endpoints) {
    const elements = members.flatMap(({ pod, protocol, port }) => keyed(pod.addresses[family], protocol, port));
    yield [name, { key: ["address", "inet_proto", "inet_service"], isMap: false, elements: elementsOf(elements) }];
  }
}

const keyed = (address: string | undefined, ...rest: readonly (string | number)[]): readonly SetElement[] =>
  address === undefined ? [] : [{ key: [address, ...rest] }];
