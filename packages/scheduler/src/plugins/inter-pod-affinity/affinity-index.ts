/** What pod affinity needs to know of the Pods that are on nodes, kept from attempt to attempt. */
import type { Snapshot } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Domains, TopologyDomains } from "../cluster-index/domains.ts";
import { NodeSlots } from "../cluster-index/node-slots.ts";
import { PodGroups } from "../cluster-index/pod-groups.ts";
import { TermGroups } from "./term-groups.ts";

export class AffinityIndex {
  /** Who keeps others away. */
  readonly antiAffinity = new TermGroups();
  /** Who draws others near or would rather not have them, by weight. */
  readonly preferences = new TermGroups();
  readonly pods = new PodGroups();
  readonly #slots: NodeSlots;
  readonly #domains: TopologyDomains;
  #isUsed = false;

  /** `requiredWeight`: how much what a Pod requires draws others near; 0: not at all. */
  constructor(requiredWeight: number) {
    this.#slots = new NodeSlots({
      count: (pod, slot, sign) => {
        this.pods.count(pod, slot, sign);
        if (pod.hasAffinity) this.#countTerms(pod, slot, sign, requiredWeight);
      },
    });
    this.#domains = new TopologyDomains(this.#slots);
  }

  /** Nothing is kept as long as no Pod has affinity, neither the one that `asks` nor any other. */
  isUsed(asks: boolean, snapshot: Snapshot): boolean {
    this.#isUsed ||= asks || snapshot.nodesWithAffinity.length > 0;
    return this.#isUsed;
  }

  /** Must come before anything is read in an attempt. */
  update(snapshot: Snapshot): void {
    this.#slots.update(snapshot);
  }

  domains(topologyKey: string): Domains {
    return this.#domains.of(topologyKey);
  }

  #countTerms(pod: PodInfo, slot: number, sign: 1 | -1, requiredWeight: number): void {
    for (const term of pod.requiredAntiAffinity) this.antiAffinity.count(term, 1, slot, sign);
    if (requiredWeight > 0) for (const term of pod.requiredAffinity) this.preferences.count(term, requiredWeight, slot, sign);
    for (const term of pod.preferredAffinity) this.preferences.count(term, term.weight, slot, sign);
    for (const term of pod.preferredAntiAffinity) this.preferences.count(term, -term.weight, slot, sign);
  }
}
