/**
 * No user grants permissions that it does not have: who writes a role must hold its rules or may `escalate`, who writes a binding
 * must hold those of its role or may `bind` it.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import type { rbacV1 } from "@coxswain/api";
import { deepEqual, goQuote, type KubeObject } from "@coxswain/machinery";
import { joinVerbs, missingRules } from "../authorization/rbac/covers.ts";
import { describeRule, goStrings } from "../authorization/rbac/policy-rule.ts";
import { aggregate } from "../authorization/rbac/rbac-authorizer.ts";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import { rulesFor, rulesOfRole } from "../rbac/rule-resolver.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { refused } from "./refused.ts";

export interface EscalationServices extends ObjectReader {
  readonly authorize: Authorizer;
}

const everything: readonly rbacV1.PolicyRule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

export const rbacEscalation: AdmissionPluginFactory<EscalationServices> = {
  name: "RBACEscalation",
  create: (services) => ({
    handles: ({ operation, resource: { definition }, subresource, user }) =>
      definition.group === "rbac.authorization.k8s.io" &&
      operation !== "delete" &&
      subresource === "" &&
      !user.groups.includes("system:masters"),
    validate: (request) => confirmNoEscalation(services, request),
  }),
};

/** @throws forbidden(), and notFound() for a binding whose role is not there */
async function confirmNoEscalation(services: EscalationServices, request: AdmissionRequest): Promise<void> {
  const { object, previous, resource } = request;
  if (object === undefined || (previous !== undefined && changesOnlyCollection(object, previous))) return;
  const { kind } = resource.definition;
  if (kind.endsWith("Binding")) return await confirmBinding(services, request, object as unknown as rbacV1.RoleBinding);
  if (await isAllowed(services, request, { verb: "escalate", resource: resource.definition.resource, name: request.name })) return;
  const { rules, aggregationRule } = object as rbacV1.ClusterRole & KubeObject;
  await confirmHeld(services, request, rules ?? []);
  const before = (previous as (rbacV1.ClusterRole & KubeObject) | undefined)?.aggregationRule;
  if (!hasSelectors(aggregationRule) && !hasSelectors(before)) return;
  const { rules: held } = await rulesFor(services, request.user, request.namespace);
  if (missingRules(held, everything).length > 0) throw refused(request, "must have cluster-admin privileges to use the aggregationRule");
}

async function confirmBinding(services: EscalationServices, request: AdmissionRequest, { roleRef }: rbacV1.RoleBinding): Promise<void> {
  const resource = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
  if (await isAllowed(services, request, { verb: "bind", resource, name: roleRef.name })) return;
  await confirmHeld(services, request, await rulesOfRole(services, roleRef, request.namespace));
}

async function isAllowed(
  { authorize }: EscalationServices,
  { user, namespace, resource: { definition } }: AdmissionRequest,
  asked: { readonly verb: "bind" | "escalate"; readonly resource: string; readonly name: string },
): Promise<boolean> {
  const on = { kind: "resource", user, group: definition.group, version: "*", subresource: "", namespace } as const;
  return (await authorize({ ...on, ...asked })).kind === "allow";
}

async function confirmHeld(services: EscalationServices, request: AdmissionRequest, wanted: readonly rbacV1.PolicyRule[]): Promise<void> {
  const { user, namespace } = request;
  const { rules, problems } = await rulesFor(services, user, namespace);
  const missing = missingRules(rules, wanted);
  if (missing.length === 0) return;
  const shown = [...new Set(joinVerbs(missing).map(describeRule))].sort().join("\n");
  const who = `user ${goQuote(user.name)} (groups=${goStrings(user.groups)})`;
  const unresolved = problems.length === 0 ? "" : `; resolution errors: [${aggregate(problems)}]`;
  throw refused(request, `${who} is attempting to grant RBAC permissions not currently held:\n${shown}${unresolved}`);
}

const hasSelectors = (rule: rbacV1.AggregationRule | undefined): boolean => (rule?.clusterRoleSelectors ?? []).length > 0;

/** Whether all that changes is what the garbage collector writes. */
function changesOnlyCollection(object: KubeObject, previous: Readonly<KubeObject>): boolean {
  const without = ({ metadata, ...rest }: Readonly<KubeObject>): unknown => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...meta } = metadata ?? {};
    return { ...rest, metadata: meta };
  };
  return deepEqual(without(object), without(previous));
}
