/**
 * Which Pods and claims a quota counts.
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes
 */
import { field } from "@coxswain/machinery";
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "@coxswain/types/core-v1";
import type { Errors } from "../../../validation/checks.ts";
import { isHugePages, standardResources } from "../../../validation/pod-spec/resources.ts";

const pods = ["pods"];
const podCompute = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const ofPods = [...pods, ...podCompute];

/** The standard resources that each scope can count. */
const scopes: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  Terminating: ofPods,
  NotTerminating: ofPods,
  BestEffort: pods,
  NotBestEffort: ofPods,
  PriorityClass: ofPods,
  CrossNamespacePodAffinity: ofPods,
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
/** Scopes that a selector can only name, not give values for. */
const withoutValues = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const exclusive = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export function validateScopes(out: Errors, path: string, spec: Readonly<ResourceQuotaSpec>): void {
  const counted = Object.keys(spec.hard ?? {}).filter(isStandardQuotaResource);
  const chosen = spec.scopes ?? [];
  for (const scope of chosen) {
    if (!Object.hasOwn(scopes, scope)) out.push(field.invalid(`${path}.scopes`, chosen, "unsupported scope"));
    for (const _ of uncountable(scope, counted)) {
      out.push(field.invalid(`${path}.scopes`, chosen, "unsupported scope applied to resource"));
    }
  }
  refuseConflicts(out, `${path}.scopes`, chosen, chosen);
  if (spec.scopeSelector === undefined) return;
  const at = `${path}.scopeSelector.matchExpressions`;
  const requirements = spec.scopeSelector.matchExpressions ?? [];
  for (const requirement of requirements) {
    if (!Object.hasOwn(scopes, requirement.scopeName)) {
      out.push(field.invalid(`${at}.scopeName`, requirement.scopeName, "unsupported scope"));
    }
    for (const _ of uncountable(requirement.scopeName, counted)) {
      out.push(field.invalid(at, shownSelector(requirements), "unsupported scope applied to resource"));
    }
    validateRequirement(out, at, requirement);
  }
  refuseConflicts(
    out,
    at,
    requirements.map(({ scopeName }) => scopeName),
    spec.scopes ?? null,
  );
}

/** As the original shows what has no JSON form of its own. */
const shownSelector = (requirements: readonly ScopedResourceSelectorRequirement[]) => ({
  MatchExpressions: requirements.map(({ scopeName, operator, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null,
  })),
});

/** What a quota may count by a name without a prefix. */
export const isStandardQuotaResource = (name: string): boolean =>
  (standardResources.has(name) && name !== "storage") || isHugePages(name) || name.startsWith("requests.hugepages-");

const uncountable = (scope: string, counted: readonly string[]): readonly string[] =>
  Object.hasOwn(scopes, scope) ? counted.filter((name) => !scopes[scope]?.includes(name)) : [];

function refuseConflicts(out: Errors, path: string, chosen: readonly string[], shown: unknown): void {
  for (const [a, b] of exclusive) {
    if (chosen.includes(a) && chosen.includes(b)) out.push(field.invalid(path, shown, "conflicting scopes"));
  }
}

function validateRequirement(
  out: Errors,
  path: string,
  { scopeName, operator, values = [] }: Readonly<ScopedResourceSelectorRequirement>,
): void {
  if (withoutValues.includes(scopeName) && operator !== "Exists") {
    const why =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    out.push(field.invalid(`${path}.operator`, operator, why));
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return;
      out.push(field.required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
      return;
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return;
      out.push(field.invalid(`${path}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
      return;
    default:
      out.push(field.invalid(`${path}.operator`, operator, "not a valid selector operator"));
  }
}
