/**
 * What a rule of a role covers.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
import type { rbacV1 } from "@coxswain/api";
import { goQuote } from "@coxswain/machinery";

/** As Go prints the rule in errors: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: rbacV1.PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const shown = parts.filter(([, values]) => values !== undefined && values.length > 0);
  return `{${shown.map(([name, values = []]) => `${name}:${goStrings(values)}`).join(", ")}}`;
}

/** Go's `%q` of a list of strings. */
export const goStrings = (values: readonly string[]): string => `[${values.map(goQuote).join(" ")}]`;
