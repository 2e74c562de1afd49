/** Which requests an admission hook or policy is for. */
import { field, validatePathSegmentName } from "@coxswain/machinery";
import type { MatchResources, NamedRuleWithOperations, RuleWithOperations } from "@coxswain/types/admissionregistration-v1";
import { addInvalid, type Errors, oneOf } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
export const failurePolicies = ["Fail", "Ignore"];
export const matchPolicies = ["Equivalent", "Exact"];
export const reinvocationPolicies = ["IfNeeded", "Never"];

export function defaultRules(rules: readonly RuleWithOperations[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= "*";
}

export function defaultMatchResources(match: MatchResources | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  defaultRules(match.resourceRules);
  defaultRules(match.excludeResourceRules);
}

export function validateMatchResources(out: Errors, path: string, match: Readonly<MatchResources> | undefined): void {
  if (match === undefined) return;
  oneOf(out, `${path}.matchPolicy`, match.matchPolicy, matchPolicies);
  validateLabelSelector(out, `${path}.namespaceSelector`, match.namespaceSelector);
  validateLabelSelector(out, `${path}.objectSelector`, match.objectSelector);
  for (const [i, rule] of (match.resourceRules ?? []).entries()) validateNamedRule(out, `${path}.resourceRules[${i}]`, rule);
  for (const [i, rule] of (match.excludeResourceRules ?? []).entries()) validateNamedRule(out, `${path}.excludeResourceRules[${i}]`, rule);
}

/** Deletions cannot be mutated. */
export function refuseDeletions(out: Errors, path: string, match: Readonly<MatchResources> | undefined): void {
  const mutable = operations.filter((operation) => operation !== "DELETE");
  for (const rule of match?.resourceRules ?? []) {
    for (const operation of rule.operations ?? []) oneOf(out, `${path}.resourceRules.operations`, operation, mutable);
  }
}

function validateNamedRule(out: Errors, path: string, rule: Readonly<NamedRuleWithOperations>): void {
  const names = rule.resourceNames ?? [];
  for (const [i, name] of names.entries()) {
    addInvalid(out, `${path}.resourceNames[${i}]`, name, validatePathSegmentName(name));
    if (names.indexOf(name) < i) out.push(field.duplicate(`${path}.resourceNames[${i}]`, name));
  }
  validateRule(out, path, rule);
}

export function validateRule(out: Errors, path: string, rule: Readonly<RuleWithOperations>): void {
  validateList(out, `${path}.operations`, rule.operations ?? [], "operations");
  for (const [i, operation] of (rule.operations ?? []).entries()) oneOf(out, `${path}.operations[${i}]`, operation, operations);
  validateList(out, `${path}.apiGroups`, rule.apiGroups ?? [], "API groups");
  validateList(out, `${path}.apiVersions`, rule.apiVersions ?? [], "API versions");
  for (const [i, version] of (rule.apiVersions ?? []).entries()) {
    if (version === "") out.push(field.required(`${path}.apiVersions[${i}]`));
  }
  validateResources(out, `${path}.resources`, rule.resources ?? []);
  oneOf(out, `${path}.scope`, rule.scope, ["*", "Cluster", "Namespaced"]);
}

function validateList(out: Errors, path: string, items: readonly string[], what: string): void {
  if (items.length === 0) out.push(field.required(path));
  if (items.length > 1 && items.includes("*")) out.push(field.invalid(path, items, `if '*' is present, must not specify other ${what}`));
}

// `pods`, `pods/log`, `pods/*`, `*/scale`, `*` and `*/*`: none may cover another.
function validateResources(out: Errors, path: string, resources: readonly string[]): void {
  if (resources.length === 0) out.push(field.required(path));
  const anySubresource = new Set<string>();
  const anyResource = new Set<string>();
  let plain = false;
  for (const [i, name] of resources.entries()) {
    const slash = name.indexOf("/");
    if (name === "") out.push(field.required(`${path}[${i}]`));
    else if (slash < 0) plain = name !== "*";
    if (name === "" || slash < 0) continue;
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    if (anySubresource.has(resource)) {
      out.push(field.invalid(`${path}[${i}]`, name, `if '${resource}/*' is present, must not specify ${name}`));
    }
    if (anyResource.has(subresource)) {
      out.push(field.invalid(`${path}[${i}]`, name, `if '*/${subresource}' is present, must not specify ${name}`));
    }
    if (subresource === "*") anySubresource.add(resource);
    if (resource === "*") anyResource.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    out.push(field.invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (plain && resources.includes("*")) {
    out.push(field.invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  }
}
