/** Reads and validates a Policy of audit.k8s.io/v1. */
import { type FieldError, field, goQuote, isObject, type JsonObject, parseYaml, validateDns1123Subdomain } from "@coxswain/machinery";
import type { AuditPolicyDocument } from "./policy.ts";

const levels = ["None", "Metadata", "Request", "RequestResponse"];
const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** The policy of a document in YAML or JSON. @throws Error in Kubernetes' words */
export async function loadAuditPolicy(text: string): Promise<AuditPolicyDocument> {
  const document = await parseYaml(text);
  if (!isObject(document)) throw new Error("failed decoding: couldn't get version/kind; the document is no object");
  const { kind = "", apiVersion = "" } = document;
  if (kind === "") throw new Error(`failed decoding: Object 'Kind' is missing in '${text}'`);
  if (apiVersion === "") throw new Error(`failed decoding: Object 'apiVersion' is missing in '${text}'`);
  if (kind !== "Policy" || apiVersion !== "audit.k8s.io/v1") {
    const what = `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))}`;
    throw new Error(`failed decoding: ${what} in scheme "pkg/audit/scheme.go:30"`);
  }
  checkTypes(document);
  const policy = document as unknown as AuditPolicyDocument;
  const errors = [
    ...validateStages(policy.omitStages ?? [], "omitStages"),
    ...(policy.rules ?? []).flatMap((rule, i) => validateRule(rule as unknown as Rule, `rules[${i}]`)),
  ];
  if (errors.length > 0) throw new Error(field.formatFieldErrors(errors));
  if ((policy.rules ?? []).length === 0) throw new Error("loaded illegal policy with 0 rules");
  return policy;
}

interface Rule {
  readonly level?: string;
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly string[];
}

function validateRule(
  { level = "", resources = [], namespaces = [], nonResourceURLs = [], omitStages = [] }: Rule,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (level === "") errors.push(field.required(`${at}.level`));
  else if (!levels.includes(level)) errors.push(field.notSupported(`${at}.level`, level, levels));
  for (const [i, url] of nonResourceURLs.entries()) errors.push(...validateUrl(url, `${at}.nonResourceURLs[${i}]`));
  for (const { group = "", resources: names = [], resourceNames = [] } of resources) {
    const problems = group === "" || group === "*" ? [] : validateDns1123Subdomain(group);
    if (problems.length > 0) errors.push(field.invalid(`${at}.resources.group`, group, problems.join(",")));
    if (resourceNames.length > 0 && names.length === 0) {
      errors.push(field.invalid(`${at}.resources.resourceNames`, resourceNames, "using resourceNames requires at least one resource"));
    }
  }
  errors.push(...validateStages(omitStages, `${at}.omitStages`));
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const why = "rules cannot apply to both regular resources and non-resource URLs";
    errors.push(field.invalid(`${at}.nonResourceURLs`, nonResourceURLs, why));
  }
  return errors;
}

function validateUrl(url: string, at: string): FieldError[] {
  if (url === "*") return [];
  const errors: FieldError[] = [];
  if (!url.startsWith("/")) errors.push(field.invalid(at, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes("*")) {
    errors.push(field.invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  }
  return errors;
}

const validateStages = (given: readonly string[], at: string): FieldError[] =>
  given.flatMap((stage, i) =>
    stages.includes(stage) ? [] : [field.invalid(`${at}[${i}]`, stage, `allowed stages are ${stages.join(",")}`)],
  );

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");

/** A wrong type must not match nothing, and so record nothing, without a word. */
function checkTypes(document: JsonObject): void {
  const { rules = [], omitStages, omitManagedFields } = document;
  const check = (isRight: boolean, at: string): void => {
    if (!isRight) throw new Error(`failed decoding: json: cannot unmarshal ${at}: it has another type`);
  };
  check(omitStages === undefined || isTexts(omitStages), "Policy.omitStages");
  check(omitManagedFields === undefined || typeof omitManagedFields === "boolean", "Policy.omitManagedFields");
  check(Array.isArray(rules) && rules.every(isObject), "Policy.rules");
  for (const rule of rules as readonly JsonObject[]) {
    check(rule.level === undefined || typeof rule.level === "string", "PolicyRule.level");
    check(rule.omitManagedFields === undefined || typeof rule.omitManagedFields === "boolean", "PolicyRule.omitManagedFields");
    for (const name of ["users", "userGroups", "verbs", "namespaces", "nonResourceURLs", "omitStages"]) {
      check(rule[name] === undefined || isTexts(rule[name]), `PolicyRule.${name}`);
    }
    const { resources = [] } = rule;
    check(Array.isArray(resources) && resources.every(isObject), "PolicyRule.resources");
    for (const one of resources as readonly JsonObject[]) {
      check(one.group === undefined || typeof one.group === "string", "GroupResources.group");
      for (const name of ["resources", "resourceNames"]) check(one[name] === undefined || isTexts(one[name]), `GroupResources.${name}`);
    }
  }
}
