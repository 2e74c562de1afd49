import type { appsV1 } from "@coxswain/api";
import { type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";

/** The selector of a workload; one that cannot be parsed selects nothing. */
export function selectorOrNothing(selector: appsV1.ReplicaSetSpec["selector"] | undefined): LabelSelector {
  try {
    return labelSelectorFromObject(selector);
  } catch {
    return labelSelectorFromObject(undefined);
  }
}
