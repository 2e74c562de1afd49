/**
 * Role-based access control: whoever a binding names may do what the rules of its role say, and nothing is denied.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../../contracts/authorizer.ts";
import type { RbacIndex, SubjectGrants } from "./rbac-index.ts";

const noOpinion: Decision = { kind: "noOpinion", reason: "" };

/** Allows by the bindings of the cluster, then by those of the request's namespace. */
export const rbacAuthorizer =
  (index: RbacIndex): Authorizer =>
  (attributes) => {
    const namespace = attributes.kind === "resource" ? attributes.namespace : "";
    const request: RequestOn = { attributes, combined: combinedResource(attributes) };
    const source = findGrant(index, request, "") ?? (namespace === "" ? undefined : findGrant(index, request, namespace));
    if (source !== undefined) return { kind: "allow", reason: `RBAC: allowed by ${source}` };
    const problems = problemsOf(index, attributes.user, namespace);
    return problems.length === 0 ? noOpinion : { kind: "noOpinion", reason: `RBAC: ${aggregate(problems)}` };
  };

/** A list of Go's errors as one: `[a, b]`, each once, or the only one as it is. */
export const aggregate = (messages: readonly string[]): string => {
  const [only, ...others] = new Set(messages);
  return others.length === 0 ? (only ?? "") : `[${[only, ...others].join(", ")}]`;
};

interface RequestOn {
  readonly attributes: AuthorizationAttributes;
  /** `pods/log` for the subresource. */
  readonly combined: string;
}

/** `pods/log` for a subresource; empty for a path. */
export function combinedResource(attributes: AuthorizationAttributes): string {
  if (attributes.kind === "path") return "";
  const { resource, subresource } = attributes;
  return subresource === "" ? resource : `${resource}/${subresource}`;
}

function findGrant(index: RbacIndex, { attributes, combined }: RequestOn, namespace: string): string | undefined {
  const { name, groups } = attributes.user;
  const own = index.userGrants(namespace, name);
  const source = own === undefined ? undefined : index.compiled(own, namespace).table.find(attributes, combined);
  if (source !== undefined) return source;
  for (const group of groups) {
    const grants = index.groupGrants(namespace, group);
    const found = grants === undefined ? undefined : index.compiled(grants, namespace).table.find(attributes, combined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the user is given, by the bindings of the cluster first. */
function* grantsOf(index: RbacIndex, { name, groups }: UserInfo, namespace: string): Iterable<readonly [SubjectGrants, string]> {
  for (const scope of namespace === "" ? [""] : ["", namespace]) {
    const own = index.userGrants(scope, name);
    if (own !== undefined) yield [own, scope];
    for (const group of new Set(groups)) {
      const grants = index.groupGrants(scope, group);
      if (grants !== undefined) yield [grants, scope];
    }
  }
}

function problemsOf(index: RbacIndex, user: UserInfo, namespace: string): string[] {
  return [...grantsOf(index, user, namespace)].flatMap(([grants, scope]) => index.compiled(grants, scope).problems);
}
