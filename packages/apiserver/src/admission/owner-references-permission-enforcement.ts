/**
 * Who has an object deleted by naming its owners could delete it, and who keeps an owner by it could keep the owner by a finalizer.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement
 */
import { deepEqual, type KubeObject, type OwnerReference, parseApiVersion } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { AuthorizationAttributes, Authorizer } from "../contracts/authorizer.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import { refused } from "./refused.ts";

export interface EnforcementServices {
  readonly authorize: Authorizer;
  readonly served: Pick<ServedResources, "byKind">;
}

export const ownerReferencesPermissionEnforcement: AdmissionPluginFactory<EnforcementServices> = {
  name: "OwnerReferencesPermissionEnforcement",
  offByDefault: true,
  create: (services) => ({
    handles: (request) =>
      (request.operation === "create" || request.operation === "update") && !isPodStatus(request) && changesOwners(request),
    async validate(request) {
      if (request.operation === "update") await confirmDelete(services, request);
      await confirmFinalizers(services, request);
    },
  }),
};

/** Kubelets may write it, and what they report has no owners of theirs. */
const isPodStatus = ({ resource: { definition }, subresource }: AdmissionRequest): boolean =>
  definition.group === "" && definition.resource === "pods" && subresource === "status";

const ownersOf = (object: Readonly<KubeObject> | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? [];

function changesOwners({ object, previous }: AdmissionRequest): boolean {
  const [next, before] = [ownersOf(object), ownersOf(previous)];
  return next.length !== before.length || (next.length > 0 && !deepEqual(next, before));
}

async function confirmDelete({ authorize }: EnforcementServices, request: AdmissionRequest): Promise<void> {
  const { user, namespace, name, subresource, resource } = request;
  const { group, version, resource: plural } = resource.definition;
  const { kind, reason } = await authorize({
    kind: "resource",
    user,
    verb: "delete",
    group,
    version,
    resource: plural,
    subresource,
    namespace,
    name,
  });
  if (kind !== "allow") throw refused(request, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
}

async function confirmFinalizers(services: EnforcementServices, request: AdmissionRequest): Promise<void> {
  const { object, previous, user } = request;
  const before = new Map(ownersOf(previous).map((owner) => [owner.uid, owner]));
  const blocking = ownersOf(object).filter((owner) => blocks(owner) && !blocks(before.get(owner.uid)));
  if (blocking.length === 0) return;
  const anything = { group: "*", version: "*", resource: "*", namespace: "", name: "*" };
  if ((await services.authorize(finalizing(user, anything))).kind === "allow") return;
  for (const owner of blocking) {
    const { kind, reason } = await services.authorize(finalizing(user, ownerAt(services, request, owner)));
    if (kind === "allow") continue;
    const why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    throw refused(request, `${why}: ${reason}, <nil>`);
  }
}

const blocks = (owner: OwnerReference | undefined): boolean => owner?.blockOwnerDeletion === true;

type Finalized = Pick<Extract<AuthorizationAttributes, { kind: "resource" }>, "group" | "version" | "resource" | "namespace" | "name">;

const finalizing = (user: AdmissionRequest["user"], finalized: Finalized): AuthorizationAttributes => ({
  kind: "resource",
  user,
  verb: "update",
  subresource: "finalizers",
  ...finalized,
});

/** @throws forbidden() for a kind that is not served */
function ownerAt({ served }: EnforcementServices, request: AdmissionRequest, { apiVersion, kind, name }: OwnerReference): Finalized {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
  const definition = served.byKind(group, version, kind)?.definition;
  if (definition === undefined) {
    const why = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    throw refused(request, `${why}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
  return { group, version, resource: definition.resource, namespace: definition.namespaced ? request.namespace : "", name };
}
