import { field, validatePercent } from "@coxswain/machinery";
import type { IntOrString } from "@coxswain/types/meta-v1";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "@coxswain/types/policy-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, nonNegative, oneOf } from "../../../validation/checks.ts";
import { validateLabelSelector } from "../../../validation/label-selector.ts";
import { podDisruptionBudgetColumns } from "./columns.ts";
import { podDisruptionBudgetSubresources } from "./subresources.ts";

/** @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/ */
export const podDisruptionBudget = defineKind<PodDisruptionBudget>({
  type: "io.k8s.api.policy.v1.PodDisruptionBudget",
  metadataPasses: [],
  finalizers: "any",
  // Kubernetes never checks a budget's name but as a part of its path.
  name: "pathSegment",
  allowUnconditionalUpdate: false,
  prepareForCreate(obj) {
    obj.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  },
  validate: ({ spec = {} }) => validateSpec(spec),
  subresources: podDisruptionBudgetSubresources,
  columns: podDisruptionBudgetColumns,
});

function validateSpec(spec: Readonly<PodDisruptionBudgetSpec>): Errors {
  const out: Errors = [];
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    };
    out.push(field.invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set"));
  }
  validateCount(out, "spec.minAvailable", minAvailable);
  validateCount(out, "spec.maxUnavailable", maxUnavailable);
  validateLabelSelector(out, "spec.selector", selector, "selector values");
  oneOf(out, "spec.unhealthyPodEvictionPolicy", unhealthyPodEvictionPolicy, ["AlwaysAllow", "IfHealthyBudget"]);
  return out;
}

function validateCount(out: Errors, path: string, count: IntOrString | undefined): void {
  if (typeof count !== "string") return void nonNegative(out, path, count);
  const problems = validatePercent(count);
  addInvalid(out, path, count, problems);
  if (problems.length === 0 && Number(count.slice(0, -1)) > 100) out.push(field.invalid(path, count, "must not be greater than 100%"));
}
