/**
 * Nobody learns by a policy what the parameters hold that they may not read: who names a kind of parameters must be allowed to get
 * all of its objects, and who names parameters in a binding those that it names.
 */
import type { admissionregistrationV1 } from "@coxswain/api";
import { deepEqual, field, invalid, type KubeObject, parseApiVersion } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../../contracts/admission.ts";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { readObject } from "../../storage/object-reader.ts";
import type { PolicyServices } from "./policy-dispatcher.ts";
import type { Policy } from "./policy-hooks.ts";

type ParamKind = admissionregistrationV1.ParamKind;
type Given = KubeObject & {
  readonly spec?: { readonly policyName?: string; readonly paramKind?: ParamKind; readonly paramRef?: admissionregistrationV1.ParamRef };
};

/** Which resource is asked about, and why no narrower one. */
interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly unknown?: string;
}

const anything: Resource = { group: "*", version: "*", resource: "*" };

export const policyParameterAccess: AdmissionPluginFactory<PolicyServices> = {
  name: "PolicyParameterAccess",
  create: (services) => ({
    handles: ({ operation, resource: { definition }, subresource, user }) =>
      definition.group === "admissionregistration.k8s.io" &&
      definition.kind.includes("AdmissionPolicy") &&
      subresource === "" &&
      (operation === "create" || operation === "update") &&
      !user.groups.includes("system:masters"),
    validate: (request) =>
      request.resource.definition.kind.endsWith("Binding") ? checkBinding(services, request) : checkPolicy(services, request),
  }),
};

/** @throws invalid() */
async function checkPolicy(services: PolicyServices, request: AdmissionRequest): Promise<void> {
  const paramKind = (request.object as Given | undefined)?.spec?.paramKind;
  if (paramKind === undefined || deepEqual(paramKind, (request.previous as Given | undefined)?.spec?.paramKind)) return;
  if (await isAllowed(services, request.user, { ...resourceOf(services, paramKind), verb: "get", namespace: "*", name: "*" })) return;
  const { kind, apiVersion } = paramKind;
  const which = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  throw refused(request, "spec.paramKind", `user ${shown(request.user)} must have "get" permission on ${which}`);
}

/** @throws invalid() */
async function checkBinding(services: PolicyServices, request: AdmissionRequest): Promise<void> {
  const { paramRef, policyName = "" } = (request.object as Given | undefined)?.spec ?? {};
  const before = (request.previous as Given | undefined)?.spec;
  if (paramRef === undefined || (deepEqual(paramRef, before?.paramRef) && policyName === before?.policyName)) return;
  const verb = paramRef.name ? "get" : "list";
  const resource = await boundResource(services, request, policyName);
  const { namespace = "", name = "" } = paramRef;
  if (await isAllowed(services, request.user, { ...resource, verb, namespace, name })) return;
  const { unknown } = resource;
  const lacks = `user ${shown(request.user)} does not have "${verb}" permission`;
  const why =
    unknown === undefined
      ? `${lacks} on the object referenced by paramRef`
      : `unable to ${unknown} to determine minimum required permissions and ${lacks} for all groups, versions and resources`;
  throw refused(request, "spec.paramRef", why);
}

async function boundResource(services: PolicyServices, request: AdmissionRequest, policyName: string): Promise<Resource> {
  const resource = request.resource.definition.kind.startsWith("Mutating") ? "mutatingadmissionpolicies" : "validatingadmissionpolicies";
  const at = { group: "admissionregistration.k8s.io", version: "v1", resource };
  const policy = await readObject<Policy>(services, at, "", policyName);
  if (policy === undefined) return { ...anything, unknown: `get policy ${policyName}` };
  return policy.spec.paramKind === undefined ? anything : resourceOf(services, policy.spec.paramKind);
}

function resourceOf({ served }: Pick<PolicyServices, "served">, { apiVersion = "", kind = "" }: ParamKind): Resource {
  const parsed = parseApiVersion(apiVersion);
  const shownKind = `&{${apiVersion} ${kind}}`;
  if (parsed === undefined) return { ...anything, unknown: `parse paramKind ${shownKind}` };
  const found = served.byKind(parsed.group, parsed.version, kind);
  return found === undefined
    ? { ...parsed, resource: "*", unknown: `resolve paramKind ${shownKind}` }
    : { ...parsed, resource: found.definition.resource };
}

async function isAllowed(
  { authorize }: Pick<PolicyServices, "authorize">,
  user: UserInfo,
  { group, version, resource, verb, namespace, name }: Resource & Record<"verb" | "namespace" | "name", string>,
): Promise<boolean> {
  const asked: AuthorizationAttributes = { kind: "resource", user, verb, group, version, resource, subresource: "", namespace, name };
  return (await authorize(asked)).kind === "allow";
}

const refused = ({ resource: { definition }, name }: AdmissionRequest, path: string, why: string): Error =>
  invalid({ group: definition.group, kind: definition.kind }, name, [field.forbidden(path, why)]);

/** As Go prints it. */
const shown = ({ name, uid, groups, extra }: UserInfo): string =>
  `&{${name} ${uid} [${groups.join(" ")}] map[${Object.entries(extra)
    .map(([key, values]) => `${key}:[${values.join(" ")}]`)
    .sort()
    .join(" ")}]}`;
