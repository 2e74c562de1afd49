/**
 * Which requests the rules of webhooks and policies are for.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules
 */
import type { AdmissionOperation, AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import { isNamespace } from "./attributes.ts";

/** As configurations have them; `resourceNames` are those of policies. */
export interface GivenRule {
  readonly operations?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly apiVersions?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly scope?: string | null;
  readonly resourceNames?: readonly string[] | null;
}

/** `resource` may be that of the request in another version or group. */
export interface Rule {
  /** Whether the rule is for the request as if it were one on `resource`. */
  matches(request: AdmissionRequest, resource: AdmissionResource): boolean;
  /** Whether it may be for one of which no more is known. */
  covers(operation: AdmissionOperation, resource: AdmissionResource, subresource: string): boolean;
}

/** A rule that was read once, so that asking it makes nothing. */
export function compileRule(given: GivenRule): Rule {
  const operation = oneOf(given.operations);
  const group = oneOf(given.apiGroups);
  const version = oneOf(given.apiVersions);
  const resources = (given.resources ?? []).map(splitResource);
  const names = given.resourceNames ?? [];
  const scope = given.scope ?? "*";
  const covers: Rule["covers"] = (asked, { definition }, subresource) => {
    if (!operation(operationNames[asked]) || !group(definition.group) || !version(definition.version)) return false;
    for (const one of resources) if (isOf(one, definition.resource, subresource)) return true;
    return false;
  };
  return {
    covers,
    matches: (request, resource) =>
      covers(request.operation, resource, request.subresource) &&
      hasScope(request, resource, scope) &&
      (names.length === 0 || names.includes(request.name)),
  };
}

/** As rules and reviews have them. */
export const operationNames: Readonly<Record<AdmissionOperation, string>> = {
  create: "CREATE",
  update: "UPDATE",
  delete: "DELETE",
  connect: "CONNECT",
};

function oneOf(items: readonly string[] | null | undefined): (asked: string) => boolean {
  const known = items ?? [];
  return known.includes("*") ? () => true : (asked) => known.includes(asked);
}

interface ResourcePattern {
  readonly resource: string;
  readonly subresource: string;
}

/** `pods`, `pods/log`, `pods/*`, `*\/scale`; what follows a second slash belongs to the subresource. */
function splitResource(text: string): ResourcePattern {
  const slash = text.indexOf("/");
  return slash < 0 ? { resource: text, subresource: "" } : { resource: text.slice(0, slash), subresource: text.slice(slash + 1) };
}

const isOf = (pattern: ResourcePattern, resource: string, subresource: string): boolean =>
  (pattern.resource === "*" || pattern.resource === resource) && (pattern.subresource === "*" || pattern.subresource === subresource);

/** A Namespace is cluster-scoped, although its requests are in it. */
function hasScope({ namespace }: AdmissionRequest, resource: AdmissionResource, scope: string): boolean {
  if (scope === "*") return true;
  const clusterScoped = namespace === "" || isNamespace(resource);
  return scope === "Cluster" ? clusterScoped : scope === "Namespaced" && !clusterScoped;
}
