import type { policyV1 } from "@coxswain/api";

/** As Go prints it: whoever reads Events is used to it. */
export function printSelector(selector: NonNullable<policyV1.PodDisruptionBudget["spec"]>["selector"]): string {
  if (selector === undefined) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const printed = `MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}}`;
  return `&LabelSelector{${printed},}`;
}
