/** The kinds whose types the expressions of a policy are checked against: those that its rules name without a wildcard. */
import type { admissionregistrationV1 } from "@coxswain/api";
import type { DiscoveredResource } from "@coxswain/client";
import { compareBytes, type GroupVersionKind } from "@coxswain/machinery";

type Policy = admissionregistrationV1.ValidatingAdmissionPolicy;
type Rule = admissionregistrationV1.NamedRuleWithOperations;

/** Rules are read no further once one of them has named as many. */
const maxKinds = 10;

/** By group, version and kind. */
export function kindsToCheck({ spec }: Policy, resources: readonly DiscoveredResource[]): readonly GroupVersionKind[] {
  const found = new Map<string, GroupVersionKind>();
  for (const rule of spec?.matchConstraints?.resourceRules ?? []) {
    const named = kindsOf(rule, resources).slice(0, maxKinds);
    for (const kind of named) found.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
    if (named.length === maxKinds) break;
  }
  return [...found.values()].sort(
    (a, b) => compareBytes(a.group, b.group) || compareBytes(a.version, b.version) || compareBytes(a.kind, b.kind),
  );
}

function kindsOf(
  { apiGroups, apiVersions, resources: names }: Rule,
  resources: readonly DiscoveredResource[],
): readonly GroupVersionKind[] {
  const [groups, versions] = [literal(apiGroups), literal(apiVersions)];
  const plurals = new Set((names ?? []).filter((name) => !/[*/]/.test(name)));
  return resources
    .filter(({ group, version, resource }) => groups.has(group) && versions.has(version) && plurals.has(resource))
    .map(({ group, version, kind }) => ({ group, version, kind }));
}

/** None where any of them is a wildcard. */
const literal = (names: readonly string[] | undefined): ReadonlySet<string> =>
  new Set((names ?? []).some((name) => name.includes("*")) ? [] : names);
