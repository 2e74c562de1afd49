/**
 * Which rule of an audit policy is for a request: the first one that matches.
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy
 */

import type { AuditConfig, AuditLevel, AuditPolicy, AuditStage } from "../contracts/audit.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";
import { coversPath } from "../contracts/non-resource-url.ts";

export interface AuditGroupResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface AuditPolicyRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditGroupResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** A Policy of audit.k8s.io/v1 that is valid. */
export interface AuditPolicyDocument {
  readonly rules: readonly AuditPolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** What is not in a rule is not recorded. */
export function compileAuditPolicy({ rules, omitStages = [], omitManagedFields = false }: AuditPolicyDocument): AuditPolicy {
  const compiled = rules.map((rule) => {
    const config: AuditConfig = {
      level: rule.level,
      omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    };
    return { rule, config };
  });
  const unmatched: AuditConfig = { level: "None", omitStages: new Set(omitStages), omitManagedFields };
  return (attributes, user) => {
    for (const { rule, config } of compiled) if (matches(rule, attributes, user)) return config;
    return unmatched;
  };
}

/** An empty list and none at all are the same. */
const isGiven = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0;

function matches(rule: AuditPolicyRule, attributes: AuthorizationAttributes, user: UserInfo | undefined): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (isGiven(users) && (user === undefined || !users.includes(user.name))) return false;
  if (isGiven(userGroups) && !(user?.groups.some((group) => userGroups.includes(group)) ?? false)) return false;
  if (isGiven(verbs) && !verbs.includes(attributes.verb)) return false;
  if (isGiven(namespaces) || isGiven(resources)) {
    if (attributes.kind === "path") return false;
    if (isGiven(namespaces) && !namespaces.includes(attributes.namespace)) return false;
    return !isGiven(resources) || resources.some((one) => isOfGroup(one, attributes));
  }
  if (!isGiven(nonResourceURLs)) return true;
  return attributes.kind === "path" && nonResourceURLs.some((pattern) => coversPath(pattern, attributes.path));
}

type OfResource = Extract<AuthorizationAttributes, { kind: "resource" }>;

function isOfGroup({ group = "", resources, resourceNames }: AuditGroupResources, attributes: OfResource): boolean {
  if (group !== attributes.group && group !== "*") return false;
  if (!isGiven(resources)) return true;
  if (isGiven(resourceNames) && !resourceNames.includes(attributes.name)) return false;
  return resources.some((pattern) => isResourceOf(pattern, attributes));
}

/** `pods`, `pods/log`, `pods/*` (with pods itself), `*` (with subresources) and, for the subresource of any, `*` with `/scale` behind it. */
function isResourceOf(pattern: string, { resource, subresource }: OfResource): boolean {
  if (pattern === "*" || pattern === (subresource === "" ? resource : `${resource}/${subresource}`)) return true;
  if (subresource !== "" && pattern === `*/${subresource}`) return true;
  return pattern === `${resource}/*`;
}
