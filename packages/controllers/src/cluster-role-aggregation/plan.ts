import type { rbacV1 } from "@coxswain/api";
import { deepEqual, labelSelectorFromObject } from "@coxswain/machinery";

export type ClusterRole = rbacV1.ClusterRole;
export type Rule = rbacV1.PolicyRule;

export interface ObservedRole {
  readonly role: ClusterRole;
  readonly all: readonly ClusterRole[];
}

/** The rules that the role lacks; undefined when it has them. @throws badRequest() for a selector that cannot be read */
export function plan({ role, all }: ObservedRole): readonly Rule[] | undefined {
  const rules = aggregate(role, all);
  return deepEqual(rules, role.rules ?? []) ? undefined : rules;
}

/** What the chosen roles allow together, each rule once: selector by selector, role by role by name. @throws badRequest() for a selector that cannot be read */
export function aggregate(role: ClusterRole, all: readonly ClusterRole[]): Rule[] {
  const rules: Rule[] = [];
  const sorted = [...all].sort((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const chosen = labelSelectorFromObject(selector);
    for (const { metadata, rules: others } of sorted) {
      if (metadata?.name === role.metadata?.name || !chosen.matches(metadata?.labels)) continue;
      for (const rule of others ?? []) if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
