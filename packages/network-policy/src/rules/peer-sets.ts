/** Sets of addresses that rules name: the Pods of a selector, and the named ports of Pods. Policies that select the same share one. */
import { createHash } from "node:crypto";
import type { Labels } from "@coxswain/machinery";
import type { PolicyPod, Protocol } from "../contracts/policy-pod.ts";
import { includesAddress } from "./ranges.ts";
import type { AllowedPort, Peer, PodPeer } from "./read-policy.ts";

/** The Pods and Namespaces that there are. */
export interface ObservedPods {
  readonly pods: readonly PolicyPod[];
  /** Labels of Namespaces, by name. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

/** A Pod's port that one of its containers calls by the name that a policy has. */
export interface PodEndpoint {
  readonly pod: PolicyPod;
  readonly protocol: Protocol;
  readonly port: number;
}

/** What sets have, by their names. */
export interface PeerSets {
  readonly pods: ReadonlyMap<string, readonly PolicyPod[]>;
  readonly endpoints: ReadonlyMap<string, readonly PodEndpoint[]>;
}

/** Makes a set when a rule first asks for it. */
export class PeerSetBuilder {
  readonly #observed: ObservedPods;
  readonly #pods = new Map<string, readonly PolicyPod[]>();
  readonly #endpoints = new Map<string, readonly PodEndpoint[]>();

  constructor(observed: ObservedPods) {
    this.#observed = observed;
  }

  /** What was asked for until now. */
  get sets(): PeerSets {
    return { pods: this.#pods, endpoints: this.#endpoints };
  }

  /** The name of the set of Pods that are the peer. */
  podSet(peer: PodPeer): string {
    const name = `pods-${digest(peer.id)}`;
    if (!this.#pods.has(name)) this.#pods.set(name, this.#select(peer));
    return name;
  }

  /** The name of the set of endpoints: ports by a name of those Pods that are one of the peers. Undefined: all Pods. */
  endpointSet(peers: readonly Peer[] | undefined, { protocol, name }: Extract<AllowedPort, { kind: "named" }>): string {
    const setName = `endpoints-${digest(JSON.stringify([peers?.map(({ id }) => id), protocol, name]))}`;
    if (this.#endpoints.has(setName)) return setName;
    const pods = peers === undefined ? this.#observed.pods : this.#observed.pods.filter((pod) => peers.some((peer) => this.#is(pod, peer)));
    this.#endpoints.set(
      setName,
      pods.flatMap((pod) => portsNamed(pod, { protocol, name }).map((port) => ({ pod, protocol, port }))),
    );
    return setName;
  }

  #select(peer: PodPeer): readonly PolicyPod[] {
    return this.#observed.pods.filter((pod) => this.#is(pod, peer));
  }

  #is(pod: PolicyPod, peer: Peer): boolean {
    if (peer.kind === "pods") return peer.selects(pod, this.#observed.namespaces.get(pod.namespace));
    return Object.values(pod.addresses).some((address) => includesAddress(peer.addresses, address));
  }
}

/** The numbers that a Pod has for a name; containers may share one. */
export const portsNamed = ({ ports }: PolicyPod, wanted: { readonly protocol: Protocol; readonly name: string }): readonly number[] =>
  ports.filter(({ name, protocol }) => name === wanted.name && protocol === wanted.protocol).map(({ port }) => port);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
