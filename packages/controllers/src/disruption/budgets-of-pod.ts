/** Which PodDisruptionBudgets a Pod has. */
import type { KubeObject, Lister, ObjectRef } from "@coxswain/client";
import { type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { Budget } from "./expected-pods.ts";

/** Sorted by name, so that all reconciles agree on which one is the first. */
export const budgetsOf = (pod: Pod, budgets: Lister): readonly ObjectRef[] => {
  const { namespace, labels } = pod.metadata ?? {};
  return (budgets as Lister<KubeObject> as Lister<Budget>)
    .list({ namespace })
    .filter((budget) => matches(budget, labels))
    .map(({ metadata }) => ({ namespace, name: metadata?.name ?? "" }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** A selector that cannot be parsed selects nothing. */
function matches(budget: Budget, labels: Record<string, string> | undefined): boolean {
  try {
    return selectorOf(budget).matches(labels);
  } catch {
    return false;
  }
}

/** @throws badRequest() for a selector that cannot be parsed */
export const selectorOf = ({ spec }: Budget): LabelSelector => labelSelectorFromObject(spec?.selector);
