/** How much a Pod and those that are there already want to be together, by where they are. */

import type { WeightedAffinityTerm } from "../../framework/affinity-term.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import type { AffinityIndex } from "./affinity-index.ts";
import { DomainCounts } from "./domain-counts.ts";
import { type NamespaceLabels, resolve } from "./terms.ts";

export function attractionOf(pod: PodInfo, index: AffinityIndex, labels: NamespaceLabels): DomainCounts {
  const attraction = new DomainCounts((key) => index.domains(key));
  const addOwn = (terms: readonly WeightedAffinityTerm[], sign: 1 | -1): void => {
    for (const term of terms) {
      const { namespaces, selector, topologyKey } = resolve(term, labels);
      for (const { counts } of index.pods.matching(namespaces, selector)) attraction.addSlots(topologyKey, counts, sign * term.weight);
    }
  };
  addOwn(pod.preferredAffinity, 1);
  addOwn(pod.preferredAntiAffinity, -1);
  for (const { term, weight, counts } of index.preferences.matching(pod, labels.of(pod.namespace)))
    attraction.addSlots(term.topologyKey, counts, weight);
  return attraction;
}
