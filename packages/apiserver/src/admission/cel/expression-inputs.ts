/** The variables of expressions about a request. Objects are not copied: what an expression does not look at costs nothing. */
import { authorizerValue, type CelValue, fromJson, resourceCheckValue } from "@coxswain/cel";
import type { KubeObject } from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { Authorizer } from "../../contracts/authorizer.ts";
import { isNamespace, kindOf, namespaceOf, optionsOf } from "../matching/attributes.ts";
import { operationNames } from "../matching/rules.ts";
import { createExpressionAuthorizer } from "./expression-authorizer.ts";

/** What expressions are evaluated about. */
export interface ExpressionInputs {
  readonly request: AdmissionRequest;
  /** As which the request matched; the objects are of its version. */
  readonly resource: AdmissionResource;
  readonly object: Readonly<KubeObject> | undefined;
  readonly previous: Readonly<KubeObject> | undefined;
  readonly params?: Readonly<KubeObject> | undefined;
  /** That of the request; undefined for what is in none, and for a Namespace itself. */
  readonly namespace?: Readonly<KubeObject> | undefined;
  /** Who answers `authorizer`; without it an expression that asks fails. */
  readonly authorize?: Authorizer | undefined;
}

/** Values by the names of the variables. */
export type Variables = Map<string, CelValue>;

export function variablesOf(inputs: ExpressionInputs): Variables {
  const { object, previous, params, namespace, authorize, request } = inputs;
  const variables: Variables = new Map([
    ["object", fromJson(object)],
    ["oldObject", fromJson(previous)],
    ["params", fromJson(params)],
    ["request", fromJson(requestOf(inputs))],
    ["namespaceObject", fromJson(namespace === undefined ? null : exposedNamespace(namespace))],
  ]);
  if (authorize === undefined) return variables;
  const authorizer = createExpressionAuthorizer(authorize, request.user);
  const { definition } = request.resource;
  const asked = {
    group: definition.group,
    resource: definition.resource,
    subresource: request.subresource,
    namespace: namespaceOf(request),
    name: request.name,
  };
  variables.set("authorizer", authorizerValue(authorizer));
  variables.set("authorizer.requestResource", resourceCheckValue(authorizer, asked));
  return variables;
}

/** Whether the namespace of such a request is known to its expressions. */
export const hasNamespaceObject = (request: AdmissionRequest): boolean => namespaceOf(request) !== "" && !isNamespace(request.resource);

/** Kubernetes' AdmissionRequest without the objects, and without what is empty. */
function requestOf({ request, resource }: ExpressionInputs): object {
  const { subresource, name, operation, dryRun, user } = request;
  const namespace = namespaceOf(request);
  return {
    kind: groupVersionKind(resource, subresource),
    resource: groupVersionResource(resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: groupVersionKind(request.resource, subresource),
    requestResource: groupVersionResource(request.resource),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation: operationNames[operation],
    userInfo: {
      ...(user.name === "" ? {} : { username: user.name }),
      ...(user.uid === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options: optionsOf(request) ?? null,
  };
}

function groupVersionKind(resource: AdmissionResource, subresource: string): object {
  const { group, version, kind } = kindOf(resource, subresource);
  return { group, version, kind };
}

const groupVersionResource = ({ definition: { group, version, resource } }: AdmissionResource): object => ({ group, version, resource });

const exposedMetadata = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
] as const;

/** Without who owns and who manages it. */
function exposedNamespace({ metadata, spec, status }: Readonly<KubeObject>): object {
  const shown: Record<string, unknown> = {};
  for (const name of exposedMetadata) {
    const value = metadata?.[name];
    if (value !== undefined) shown[name] = value;
  }
  return { metadata: shown, spec: spec ?? {}, status: status ?? {} };
}
