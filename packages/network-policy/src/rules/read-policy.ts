/**
 * What a NetworkPolicy says, with its defaults and its selectors parsed.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
import type { api } from "@coxswain/client";
import { canonicalJson, type Labels, labelSelectorFromObject } from "@coxswain/machinery";
import { type PolicyPod, type Protocol, protocolOf } from "../contracts/policy-pod.ts";
import { type AddressRanges, addressesOfBlock } from "./ranges.ts";

/** Of a packet at the Pod that a policy is about. */
export type Direction = "ingress" | "egress";

/** Both, in the order in which they are written. */
export const directions: readonly Direction[] = ["ingress", "egress"];

/** What one NetworkPolicy says. */
export interface ReadPolicy {
  readonly namespace: string;
  /** Of Pods of its namespace. */
  selects(labels: Labels): boolean;
  /** What it allows; undefined for a direction that it is not about, in which it isolates nobody. */
  readonly allows: Readonly<Record<Direction, readonly AllowedTraffic[] | undefined>>;
}

/** One rule of a policy. */
export interface AllowedTraffic {
  /** Undefined: anybody. */
  readonly peers: readonly Peer[] | undefined;
  /** Undefined: all ports of all protocols. */
  readonly ports: readonly AllowedPort[] | undefined;
}

/** The Pods of a selector, or the addresses of a block. */
export type Peer = PodPeer | { readonly kind: "block"; readonly id: string; readonly addresses: AddressRanges };

/** Pods by their labels and those of their namespaces. */
export interface PodPeer {
  readonly kind: "pods";
  /** The same for peers that select the same. */
  readonly id: string;
  selects(pod: PolicyPod, namespaceLabels: Labels | undefined): boolean;
}

/** Of one protocol: a range, all ports, or those that Pods have by a name. */
export type AllowedPort =
  | { readonly kind: "range"; readonly protocol: Protocol; readonly first: number; readonly last: number }
  | { readonly kind: "all"; readonly protocol: Protocol }
  | { readonly kind: "named"; readonly protocol: Protocol; readonly name: string };

/**
 * Reads a policy.
 * @throws badRequest() for a selector that the API server would not have accepted
 */
export function readPolicy({ metadata, spec }: api.networkingV1.NetworkPolicy): ReadPolicy {
  const namespace = metadata?.namespace ?? "";
  const selector = labelSelectorFromObject(spec?.podSelector ?? {});
  const types = spec?.policyTypes ?? ["Ingress", ...((spec?.egress ?? []).length > 0 ? ["Egress"] : [])];
  const ingress = (spec?.ingress ?? []).map(({ from, ports }) => readRule(namespace, from, ports));
  const egress = (spec?.egress ?? []).map(({ to, ports }) => readRule(namespace, to, ports));
  return {
    namespace,
    selects: (labels) => selector.matches(labels),
    allows: {
      ingress: types.includes("Ingress") ? ingress : undefined,
      egress: types.includes("Egress") ? egress : undefined,
    },
  };
}

function readRule(
  namespace: string,
  peers: readonly api.networkingV1.NetworkPolicyPeer[] = [],
  ports: readonly api.networkingV1.NetworkPolicyPort[] = [],
): AllowedTraffic {
  return {
    peers: peers.length === 0 ? undefined : peers.flatMap((peer) => readPeer(namespace, peer)),
    ports: ports.length === 0 ? undefined : ports.flatMap(readPort),
  };
}

function readPeer(namespace: string, { ipBlock, namespaceSelector, podSelector }: api.networkingV1.NetworkPolicyPeer): readonly Peer[] {
  if (ipBlock !== undefined) {
    const addresses = addressesOfBlock(ipBlock.cidr, ipBlock.except ?? []);
    return addresses === undefined ? [] : [{ kind: "block", id: canonicalJson(ipBlock), addresses }];
  }
  if (namespaceSelector === undefined && podSelector === undefined) return [];
  const pods = labelSelectorFromObject(podSelector ?? {});
  const namespaces = namespaceSelector && labelSelectorFromObject(namespaceSelector);
  return [
    {
      kind: "pods",
      // Without a selector of namespaces, the policy's own is meant.
      id: canonicalJson({ pods: pods.toString(), ...(namespaces === undefined ? { namespace } : { namespaces: namespaces.toString() }) }),
      selects: (pod, labels) =>
        (namespaces === undefined ? pod.namespace === namespace : labels !== undefined && namespaces.matches(labels)) &&
        pods.matches(pod.labels),
    },
  ];
}

function readPort({ port, endPort, protocol: text }: api.networkingV1.NetworkPolicyPort): readonly AllowedPort[] {
  const protocol = protocolOf(text);
  if (protocol === undefined) return [];
  if (port === undefined) return [{ kind: "all", protocol }];
  if (typeof port === "number") return [{ kind: "range", protocol, first: port, last: endPort ?? port }];
  return [{ kind: "named", protocol, name: port }];
}
