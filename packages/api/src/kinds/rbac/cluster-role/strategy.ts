import { field } from "@coxswain/machinery";
import type { ClusterRole } from "@coxswain/types/rbac-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndCreationTime } from "../../../table/columns.ts";
import type { Errors } from "../../../validation/checks.ts";
import { matchSelector, validateLabelSelector } from "../../../validation/label-selector.ts";
import { validatePolicyRules } from "../../../validation/rbac/policy-rules.ts";

export const clusterRole = defineKind<ClusterRole>({
  type: "io.k8s.api.rbac.v1.ClusterRole",
  metadataPasses: ["whole", "changes"],
  name: "pathSegment",
  allowCreateOnUpdate: true,
  validate: ({ rules, aggregationRule }) => {
    const out: Errors = [];
    validatePolicyRules(out, rules ?? [], { namespaced: false });
    if (aggregationRule === undefined) return out;
    const path = "aggregationRule.clusterRoleSelectors";
    const { clusterRoleSelectors: selectors = [] } = aggregationRule;
    if (selectors.length === 0) {
      out.push(field.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    }
    for (const [i, selector] of selectors.entries()) {
      validateLabelSelector(out, `${path}[${i}]`, selector, "selector values");
      if (matchSelector(selector, undefined) === "malformed") out.push(field.invalid(`${path}[${i}]`, null, "invalid label selector."));
    }
    return out;
  },
  columns: nameAndCreationTime,
});
