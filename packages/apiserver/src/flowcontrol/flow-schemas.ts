/**
 * Which FlowSchema a request is of: the first that matches, by matchingPrecedence and name.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#flowschema
 */
import type { flowcontrolV1 } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { PathRequest, RequestInfo, ResourceRequest } from "../contracts/request-info.ts";

export type FlowSchemaObject = Readonly<flowcontrolV1.FlowSchema & KubeObject>;

/** What of a FlowSchema is asked for with each request. */
export interface CompiledSchema {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguish: (user: UserInfo, info: RequestInfo) => string;
  readonly rules: readonly CompiledRule[];
}

export interface CompiledRule {
  readonly isOf: (user: UserInfo) => boolean;
  readonly covers: (info: RequestInfo) => boolean;
}

export function compileSchema({ metadata, spec }: FlowSchemaObject): CompiledSchema {
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    level: spec?.priorityLevelConfiguration.name ?? "",
    precedence: spec?.matchingPrecedence ?? 0,
    distinguish: distinguishers[spec?.distinguisherMethod?.type ?? ""] ?? (() => ""),
    rules: (spec?.rules ?? []).map(compileRule),
  };
}

/** Of those that match, the first counts. */
export const bySchemaOrder = (a: CompiledSchema, b: CompiledSchema): number =>
  a.precedence - b.precedence || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const distinguishers: Readonly<Record<string, CompiledSchema["distinguish"]>> = {
  __proto__: null as never,
  ByUser: (user) => user.name,
  ByNamespace: (_user, info) => (info.kind === "resource" ? info.namespace : ""),
};

type Matcher<T> = (value: T) => boolean;

function compileRule(rule: flowcontrolV1.PolicyRulesWithSubjects): CompiledRule {
  const subjects = rule.subjects.map(compileSubject);
  const resources = (rule.resourceRules ?? []).map(compileResourceRule);
  const paths = (rule.nonResourceRules ?? []).map(compilePathRule);
  return {
    isOf: (user) => subjects.some((matches) => matches(user)),
    covers: (info) => (info.kind === "resource" ? resources.some((matches) => matches(info)) : paths.some((matches) => matches(info))),
  };
}

const accounts = "system:serviceaccount:";

function compileSubject({ kind, user, group, serviceAccount }: flowcontrolV1.Subject): Matcher<UserInfo> {
  if (kind === "User" && user !== undefined) return user.name === "*" ? () => true : ({ name }) => name === user.name;
  if (kind === "Group" && group !== undefined) return group.name === "*" ? () => true : ({ groups }) => groups.includes(group.name);
  if (kind !== "ServiceAccount" || serviceAccount === undefined) return () => false;
  const ofNamespace = `${accounts}${serviceAccount.namespace}:`;
  if (serviceAccount.name === "*") return ({ name }) => name.startsWith(ofNamespace);
  return ({ name }) => name === `${ofNamespace}${serviceAccount.name}`;
}

/** A star matches only where it is all there is, as Kubernetes has it. */
function listed(values: readonly string[] = []): Matcher<string> {
  if (values.length === 1 && values[0] === "*") return () => true;
  return (value) => values.includes(value);
}

function compileResourceRule(rule: flowcontrolV1.ResourcePolicyRule): Matcher<ResourceRequest> {
  const [verbs, groups, resources, namespaces] = [rule.verbs, rule.apiGroups, rule.resources, rule.namespaces].map(listed);
  return ({ verb, group, resource, subresource, namespace }) =>
    verbs?.(verb) === true &&
    resources?.(subresource === "" ? resource : `${resource}/${subresource}`) === true &&
    groups?.(group) === true &&
    (namespace === "" ? rule.clusterScope === true : namespaces?.(namespace) === true);
}

function compilePathRule({ verbs, nonResourceURLs }: flowcontrolV1.NonResourcePolicyRule): Matcher<PathRequest> {
  const isOfVerb = listed(verbs);
  const paths = nonResourceURLs.map(coversPath);
  return ({ verb, path }) => isOfVerb(verb) && paths.some((covers) => covers(path));
}

/** A path stands for what is below it too, with a star at its end or without one. */
function coversPath(rule: string): Matcher<string> {
  if (rule === "*") return () => true;
  const bare = rule.endsWith("*") ? rule.slice(0, -1) : rule;
  const below = bare.endsWith("/") ? bare : `${bare}/`;
  return (path) => path === rule || path.startsWith(below);
}
