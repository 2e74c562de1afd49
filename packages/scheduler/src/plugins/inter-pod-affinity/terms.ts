/** Which Pods terms of affinity mean. */
import type { LabelSelector, Labels } from "@coxswain/machinery";
import type { AffinityTerm } from "../../framework/affinity-term.ts";
import type { PodInfo } from "../../framework/pod-info.ts";

/** A Pod's own term, its namespaces looked up at the beginning of the attempt. */
export interface ResolvedTerm {
  /** Undefined: all. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

export interface NamespaceLabels {
  of(namespace: string): Labels | undefined;
  matching(selector: LabelSelector): readonly string[];
}

export function resolve(term: AffinityTerm, labels: NamespaceLabels): ResolvedTerm {
  const { namespaces, namespaceSelector, selector, topologyKey } = term;
  if (namespaceSelector === undefined) return { namespaces, selector, topologyKey };
  const all = namespaceSelector.empty ? undefined : new Set([...namespaces, ...labels.matching(namespaceSelector)]);
  return { namespaces: all, selector, topologyKey };
}

type Subject = Pick<PodInfo, "namespace" | "labels">;

export const means = ({ namespaces, selector }: ResolvedTerm, pod: Subject): boolean =>
  namespaces?.has(pod.namespace) !== false && selector.matches(pod.labels);

/** One Pod must be meant by all of them; no terms mean none. */
export const allMean = (terms: readonly ResolvedTerm[], pod: Subject): boolean =>
  terms.length > 0 && terms.every((term) => means(term, pod));

/** Another Pod's term, and the labels of this Pod's namespace. */
export const meansWith = (term: AffinityTerm, pod: Subject, namespace: Labels | undefined): boolean =>
  (term.namespaces.has(pod.namespace) || term.namespaceSelector?.matches(namespace) === true) && term.selector.matches(pod.labels);
