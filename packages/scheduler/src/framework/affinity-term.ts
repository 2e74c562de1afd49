/** One term of pod affinity or anti-affinity, read once. */
import type { LabelSelector } from "@coxswain/machinery";

export interface AffinityTerm {
  /** Names given, or the Pod's own namespace when the term names none and has no namespace selector. */
  readonly namespaces: ReadonlySet<string>;
  /** Undefined: no namespace but those above. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** With `matchLabelKeys` and `mismatchLabelKeys` already in it. */
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  /** 1 to 100. */
  readonly weight: number;
}
