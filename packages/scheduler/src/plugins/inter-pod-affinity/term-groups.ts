/** Terms of the Pods on nodes, equal ones counted together: replicas share theirs. */
import type { Labels } from "@coxswain/machinery";
import type { AffinityTerm } from "../../framework/affinity-term.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { countSlot, type SlotCounts } from "../cluster-index/slot-counts.ts";
import { meansWith } from "./terms.ts";

export interface TermGroup {
  readonly term: AffinityTerm;
  /** Negative: the Pods would rather not. */
  readonly weight: number;
  readonly counts: SlotCounts;
}

export class TermGroups {
  readonly #groups = new Map<string, TermGroup>();
  /** Under each namespace that the term names; under `anywhere` too when it chooses namespaces by labels. */
  readonly #byNamespace = new Map<string, Set<TermGroup>>();

  get size(): number {
    return this.#groups.size;
  }

  count(term: AffinityTerm, weight: number, slot: number, sign: 1 | -1): void {
    const key = keyOf(term, weight);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { term, weight, counts: new Map() };
      this.#groups.set(key, group);
      for (const place of placesOf(term)) this.#at(place).add(group);
    }
    countSlot(group.counts, slot, sign);
    if (group.counts.size > 0) return;
    this.#groups.delete(key);
    for (const place of placesOf(term)) this.#leave(place, group);
  }

  /** Those that mean this Pod, whose namespace has these labels. */
  matching(pod: PodInfo, namespace: Labels | undefined): TermGroup[] {
    const found: TermGroup[] = [];
    for (const place of [pod.namespace, anywhere])
      for (const group of this.#byNamespace.get(place) ?? []) if (meansWith(group.term, pod, namespace)) found.push(group);
    return found;
  }

  #at(place: string): Set<TermGroup> {
    let groups = this.#byNamespace.get(place);
    if (groups === undefined) {
      groups = new Set();
      this.#byNamespace.set(place, groups);
    }
    return groups;
  }

  #leave(place: string, group: TermGroup): void {
    const groups = this.#byNamespace.get(place);
    groups?.delete(group);
    if (groups?.size === 0) this.#byNamespace.delete(place);
  }
}

/** No namespace is called so. */
const anywhere = "*";

/** One that names namespaces and chooses some stands in one place only, lest it be found twice. */
const placesOf = ({ namespaces, namespaceSelector }: AffinityTerm): Iterable<string> =>
  namespaceSelector === undefined ? namespaces : [anywhere];

function keyOf({ namespaces, namespaceSelector, selector, topologyKey }: AffinityTerm, weight: number): string {
  const chosen = namespaceSelector === undefined ? "" : `${namespaceSelector.empty}${namespaceSelector}`;
  return [[...namespaces].sort(), chosen, selector.empty, selector, topologyKey, weight].join(";");
}
