/** Which requests a FlowSchema is for: whose, and for what. */
import { field, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from "@coxswain/types/flowcontrol-v1";
import { addInvalid, type Errors } from "../../../validation/checks.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

export function validateFlowRules(out: Errors, path: string, rules: Readonly<PolicyRulesWithSubjects>): void {
  const { resourceRules = [], nonResourceRules = [] } = rules;
  const subjects = rules.subjects ?? [];
  if (subjects.length === 0) out.push(field.required(`${path}.subjects`, "subjects must contain at least one value"));
  for (const [i, subject] of subjects.entries()) validateSubject(out, `${path}.subjects[${i}]`, subject);
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    out.push(field.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  for (const [i, rule] of resourceRules.entries()) validateResourceRule(out, `${path}.resourceRules[${i}]`, rule);
  for (const [i, rule] of nonResourceRules.entries()) validateNonResourceRule(out, `${path}.nonResourceRules[${i}]`, rule);
}

/** The field that belongs to each kind of subject. */
const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function validateSubject(out: Errors, path: string, subject: Readonly<Subject>): void {
  const { kind, serviceAccount } = subject;
  if (kind !== "ServiceAccount" && kind !== "User" && kind !== "Group") {
    out.push(field.notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"]));
    return;
  }
  const own = subjectFields[kind];
  if (subject[own] === undefined) out.push(field.required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else if (!subject[own].name) out.push(field.required(`${path}.${own}.name`));
  if (kind === "ServiceAccount" && serviceAccount !== undefined) {
    const { name, namespace } = serviceAccount;
    if (name && name !== "*") addInvalid(out, `${path}.serviceAccount.name`, name, validateDns1123Subdomain(name));
    if (namespace) addInvalid(out, `${path}.serviceAccount.namespace`, namespace, validateDns1123Label(namespace));
    else out.push(field.required(`${path}.serviceAccount.namespace`, "must specify namespace for service account"));
  }
  for (const [other, name] of Object.entries(subjectFields)) {
    if (name === own || subject[name] === undefined) continue;
    out.push(field.forbidden(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`));
  }
}

function validateResourceRule(out: Errors, path: string, rule: Readonly<ResourcePolicyRule>): void {
  const { clusterScope = false } = rule;
  const [apiGroups, resources, namespaces] = [rule.apiGroups ?? [], rule.resources ?? [], rule.namespaces ?? []];
  validateVerbs(out, `${path}.verbs`, rule.verbs ?? []);
  if (apiGroups.length === 0) out.push(field.required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  refuseBesideWildcard(out, `${path}.apiGroups`, apiGroups, "api groups");
  if (resources.length === 0) out.push(field.required(`${path}.resources`, "resource rules must supply at least one resource"));
  refuseBesideWildcard(out, `${path}.resources`, resources, "resources");
  if (namespaces.length === 0 && !clusterScope) {
    const why = "resource rules that are not cluster scoped must supply at least one namespace";
    out.push(field.required(`${path}.namespaces`, why));
  } else if (namespaces.includes("*")) refuseBesideWildcard(out, `${path}.namespaces`, namespaces, "namespaces");
  else {
    for (const [i, namespace] of namespaces.entries()) {
      const problems = validateDns1123Label(namespace).map(
        (problem) => `each member of this list must be '*' or a DNS-1123 label; ${problem}`,
      );
      addInvalid(out, `${path}.namespaces[${i}]`, namespace, problems);
    }
  }
}

function validateNonResourceRule(out: Errors, path: string, rule: Readonly<NonResourcePolicyRule>): void {
  const urls = rule.nonResourceURLs ?? [];
  validateVerbs(out, `${path}.verbs`, rule.verbs ?? []);
  const at = `${path}.nonResourceURLs`;
  if (urls.length === 0) out.push(field.required(at, "nonResourceURLs must contain at least one value"));
  else if (urls.includes("*")) refuseBesideWildcard(out, at, urls, "non-resource URLs");
  else {
    for (const [i, url] of urls.entries()) {
      const problem = urlProblem(url);
      if (problem !== undefined) out.push(field.invalid(`${at}[${i}]`, url, problem));
    }
  }
}

function validateVerbs(out: Errors, path: string, asked: readonly string[]): void {
  if (asked.length === 0) out.push(field.required(path, "verbs must contain at least one value"));
  else if (asked.includes("*")) refuseBesideWildcard(out, path, asked, "verbs");
  else if (!asked.every((verb) => verbs.includes(verb))) out.push(field.notSupported(path, asked, verbs));
}

function refuseBesideWildcard(out: Errors, path: string, items: readonly string[], what: string): void {
  if (items.length > 1 && items.includes("*")) out.push(field.invalid(path, items, `if '*' is present, must not specify other ${what}`));
}

/** A path, with a star at most at its end. */
function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const star = url.indexOf("*");
  return star >= 0 && (star !== url.length - 1 || !url.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined;
}
