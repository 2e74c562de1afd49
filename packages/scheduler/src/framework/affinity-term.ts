/** One term of pod affinity or anti-affinity, read once. */
import type { LabelSelector } from "@coxswain/machinery";

/** An AffinityTerm is one required term of pod affinity or anti-affinity, parsed once. */
export interface AffinityTerm {
  /** Names given, or the Pod's own namespace when the term names none and has no namespace selector. */
  readonly namespaces: ReadonlySet<string>;
  /** Undefined: no namespace but those above. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** With `matchLabelKeys` and `mismatchLabelKeys` already in it. */
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

/** A WeightedAffinityTerm is one preferred term of pod affinity or anti-affinity, parsed once. */
export interface WeightedAffinityTerm extends AffinityTerm {
  /** 1 to 100. */
  readonly weight: number;
}
