/** What a Pod and those that are there already require of each other. */
import type { Labels } from "@coxswain/machinery";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";
import type { AffinityIndex } from "./affinity-index.ts";
import { DomainCounts } from "./domain-counts.ts";
import { allMean, means, meansWith, type NamespaceLabels, type ResolvedTerm, resolve } from "./terms.ts";

const affinityNotMet = unschedulableAndUnresolvable("node(s) didn't match pod affinity rules");
const antiAffinityNotMet = unschedulable("node(s) didn't match pod anti-affinity rules");
const existingAntiAffinityNotMet = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

interface RequiredTerms {
  readonly pod: PodInfo;
  readonly namespace: Labels | undefined;
  readonly affinity: readonly ResolvedTerm[];
  readonly antiAffinity: readonly ResolvedTerm[];
}

interface TopologyPairCounts {
  /** Pods that all terms of affinity mean. */
  readonly affinityCounts: DomainCounts;
  /** Pods that a term of anti-affinity means. */
  readonly antiAffinityCounts: DomainCounts;
  /** Pods whose anti-affinity means this one. */
  readonly existingAntiAffinityCounts: DomainCounts;
}

export class Requirements {
  readonly #terms: RequiredTerms;
  readonly #counts: TopologyPairCounts;

  constructor(terms: RequiredTerms, counts: TopologyPairCounts) {
    this.#terms = terms;
    this.#counts = counts;
  }

  copy(): Requirements {
    const { affinityCounts: company, antiAffinityCounts: disliked, existingAntiAffinityCounts: hostile } = this.#counts;
    return new Requirements(this.#terms, {
      affinityCounts: company.copy(),
      antiAffinityCounts: disliked.copy(),
      existingAntiAffinityCounts: hostile.copy(),
    });
  }

  judge(node: NodeInfo): Status | undefined {
    if (!this.#satisfiesAffinity(node)) return affinityNotMet;
    if (this.#counts.antiAffinityCounts.touches(node)) return antiAffinityNotMet;
    return this.#counts.existingAntiAffinityCounts.touches(node) ? existingAntiAffinityNotMet : undefined;
  }

  /** The first Pod of a group with affinity to itself matches no other: it may run on any node with the topology labels. */
  #satisfiesAffinity(node: NodeInfo): boolean {
    const { affinity, pod } = this.#terms;
    const { affinityCounts: company } = this.#counts;
    let everywhere = true;
    for (const { topologyKey } of affinity) {
      const count = company.at(topologyKey, node);
      if (count === undefined) return false;
      if (count <= 0) everywhere = false;
    }
    return everywhere || (company.total === 0 && allMean(affinity, pod));
  }

  /** A Pod comes to the node or leaves it, in thought. */
  move(moved: PodInfo, node: NodeInfo, sign: 1 | -1): void {
    const { pod, namespace, affinity, antiAffinity } = this.#terms;
    const { affinityCounts: company, antiAffinityCounts: disliked, existingAntiAffinityCounts: hostile } = this.#counts;
    for (const term of moved.requiredAntiAffinity) if (meansWith(term, pod, namespace)) hostile.addNode(term.topologyKey, node, sign);
    if (allMean(affinity, moved)) for (const { topologyKey } of affinity) company.addNode(topologyKey, node, sign);
    for (const term of antiAffinity) if (means(term, moved)) disliked.addNode(term.topologyKey, node, sign);
  }
}

/** Undefined: neither the Pod nor any other asks for anything. */
export function requirementsOf(pod: PodInfo, index: AffinityIndex, labels: NamespaceLabels): Requirements | undefined {
  const namespace = labels.of(pod.namespace);
  const hosts = index.antiAffinity.matching(pod, namespace);
  if (pod.requiredAffinity.length + pod.requiredAntiAffinity.length + hosts.length === 0) return undefined;
  const affinity = pod.requiredAffinity.map((term) => resolve(term, labels));
  const antiAffinity = pod.requiredAntiAffinity.map((term) => resolve(term, labels));
  const domains = (key: string) => index.domains(key);
  const counts = {
    affinityCounts: new DomainCounts(domains),
    antiAffinityCounts: new DomainCounts(domains),
    existingAntiAffinityCounts: new DomainCounts(domains),
  };
  for (const { term, counts: slots } of hosts) counts.existingAntiAffinityCounts.addSlots(term.topologyKey, slots, 1);
  const [first, ...others] = affinity;
  if (first !== undefined)
    for (const group of index.pods.matching(first.namespaces, first.selector))
      if (others.every((term) => means(term, group)))
        for (const { topologyKey } of affinity) counts.affinityCounts.addSlots(topologyKey, group.counts, 1);
  for (const { namespaces, selector, topologyKey } of antiAffinity)
    for (const group of index.pods.matching(namespaces, selector)) counts.antiAffinityCounts.addSlots(topologyKey, group.counts, 1);
  return new Requirements({ pod, namespace, affinity, antiAffinity }, counts);
}
