/** Which traffic the policies allow each Pod of a node: a pure function of what is in the cluster. */
import type { PolicyPod, Protocol } from "../contracts/policy-pod.ts";
import { type ObservedPods, PeerSetBuilder, type PeerSets, portsNamed } from "./peer-sets.ts";
import { type AddressRanges, merged, type Range } from "./ranges.ts";
import type { AllowedPort, AllowedTraffic, Direction, Peer, ReadPolicy } from "./read-policy.ts";

/** A Pod that policies isolate, at least in one direction. */
export interface PodRules {
  readonly pod: PolicyPod;
  /** All that is allowed; undefined: everything, for no policy is about the Pod in this direction. */
  readonly allows: Readonly<Record<Direction, readonly Allowance[] | undefined>>;
}

/** Traffic with peers at ports, or to named ports of Pods. */
export type Allowance =
  | { readonly kind: "peers"; readonly peers: PeerMatch; readonly ports: PortMatch }
  | { readonly kind: "endpoints"; readonly set: string };

/** The address at the other end. */
export type PeerMatch =
  | { readonly kind: "anybody" }
  | { readonly kind: "set"; readonly name: string }
  | { readonly kind: "block"; readonly addresses: AddressRanges };

/** The port that a packet goes to. */
export type PortMatch =
  | { readonly kind: "any" }
  | { readonly kind: "ports"; readonly protocol: Protocol; readonly ranges: readonly Range[] | undefined };

/** What there is, and of which node. */
export interface PolicyInput extends ObservedPods {
  readonly nodeName: string;
  readonly policies: readonly ReadPolicy[];
}

/** The isolated Pods of a node, and the sets that their rules name. */
export interface NodeRules {
  readonly pods: readonly PodRules[];
  readonly sets: PeerSets;
}

/** Equal arguments, equal rules. */
export function nodeRules({ nodeName, policies, ...observed }: PolicyInput): NodeRules {
  const sets = new PeerSetBuilder(observed);
  const byNamespace = Map.groupBy(policies, ({ namespace }) => namespace);
  const pods = observed.pods.filter((pod) => pod.nodeName === nodeName).toSorted(byAge);
  const found = pods.flatMap((pod): readonly PodRules[] => {
    const about = (byNamespace.get(pod.namespace) ?? []).filter((policy) => policy.selects(pod.labels));
    if (about.length === 0) return [];
    return [{ pod, allows: { ingress: allowances(pod, "ingress", about, sets), egress: allowances(pod, "egress", about, sets) } }];
  });
  return { pods: found, sets: sets.sets };
}

/** The younger of two later, whose address is the same when one is about to go. */
const byAge = (a: PolicyPod, b: PolicyPod): number => compare(a.createdAt, b.createdAt) || compare(a.uid, b.uid);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function allowances(
  pod: PolicyPod,
  direction: Direction,
  policies: readonly ReadPolicy[],
  sets: PeerSetBuilder,
): readonly Allowance[] | undefined {
  const about = policies.flatMap(({ allows }) => allows[direction] ?? []);
  if (policies.every(({ allows }) => allows[direction] === undefined)) return undefined;
  return about.flatMap((traffic) => {
    const peers = traffic.peers === undefined ? [{ kind: "anybody" } as const] : traffic.peers.map((peer) => peerMatch(peer, sets));
    const ports = portMatches(direction === "ingress" ? namesResolved(pod, traffic.ports) : traffic.ports);
    const named = direction === "egress" ? namedPorts(traffic) : [];
    return [
      ...peers.flatMap((match) => ports.map((port): Allowance => ({ kind: "peers", peers: match, ports: port }))),
      ...named.map((port): Allowance => ({ kind: "endpoints", set: sets.endpointSet(traffic.peers, port) })),
    ];
  });
}

const peerMatch = (peer: Peer, sets: PeerSetBuilder): PeerMatch =>
  peer.kind === "pods" ? { kind: "set", name: sets.podSet(peer) } : { kind: "block", addresses: peer.addresses };

/** What comes in goes to the Pod itself: its names are known. */
const namesResolved = (pod: PolicyPod, ports: readonly AllowedPort[] | undefined): readonly AllowedPort[] | undefined =>
  ports?.flatMap((port) =>
    port.kind === "named"
      ? portsNamed(pod, port).map((number) => ({ kind: "range" as const, protocol: port.protocol, first: number, last: number }))
      : [port],
  );

const namedPorts = ({ ports = [] }: AllowedTraffic) => ports.filter((port) => port.kind === "named");

/** One for each protocol. */
function portMatches(ports: readonly AllowedPort[] | undefined): readonly PortMatch[] {
  if (ports === undefined) return [{ kind: "any" }];
  const numbered = ports.filter((port) => port.kind !== "named");
  return [...Map.groupBy(numbered, ({ protocol }) => protocol)].map(([protocol, ofProtocol]) => {
    if (ofProtocol.some(({ kind }) => kind === "all")) return { kind: "ports", protocol, ranges: undefined };
    const ranges = ofProtocol.flatMap((port) => (port.kind === "range" ? [{ first: BigInt(port.first), last: BigInt(port.last) }] : []));
    return { kind: "ports", protocol, ranges: merged(ranges) };
  });
}
