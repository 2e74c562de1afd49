/** @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
import { field } from "@coxswain/machinery";
import type { PolicyRule } from "@coxswain/types/rbac-v1";
import type { Errors } from "../checks.ts";

export function validatePolicyRules(out: Errors, rules: readonly PolicyRule[], { namespaced }: { readonly namespaced: boolean }): void {
  for (const [i, rule] of rules.entries()) validateRule(out, `rules[${i}]`, rule, namespaced);
}

function validateRule(out: Errors, path: string, rule: PolicyRule, namespaced: boolean): void {
  // Go's nil list of a required field is null.
  const verbs = rule.verbs ?? [];
  const { nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  if (verbs.length === 0) out.push(field.required(`${path}.verbs`, "verbs must contain at least one value"));
  if (nonResourceURLs.length === 0) {
    if (apiGroups.length === 0) out.push(field.required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
    if (resources.length === 0) out.push(field.required(`${path}.resources`, "resource rules must supply at least one resource"));
    return;
  }
  const refuse = (why: string): void => {
    out.push(field.invalid(`${path}.nonResourceURLs`, nonResourceURLs, why));
  };
  if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
  if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
    refuse("rules cannot apply to both regular resources and non-resource URLs");
  }
}
