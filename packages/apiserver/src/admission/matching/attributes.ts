/** What Kubernetes' admission attributes say of a request beside its objects. */
import type { GroupVersionKind, KubeObject } from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource, DeletionOptions } from "../../contracts/admission.ts";

/** The kind of the objects of a request on `resource`: that of the subresource where it has one of its own, such as Scale. */
export const kindOf = ({ definition }: AdmissionResource, subresource: string): GroupVersionKind =>
  subresource === "" ? definition : (definition.subresources.get(subresource) ?? definition);

/** Requests on a namespace itself are requests in it. */
export const namespaceOf = ({ resource, namespace, name }: AdmissionRequest): string =>
  isNamespace(resource) && namespace === "" ? name : namespace;

/** Whether the resource is that of Namespaces. */
export const isNamespace = ({ definition }: AdmissionResource): boolean => definition.resource === "namespaces" && definition.group === "";

const names = { create: "CreateOptions", update: "UpdateOptions", delete: "DeleteOptions" } as const;

/** CreateOptions, UpdateOptions or DeleteOptions; a connect has none. */
export function optionsOf({ operation, options, dryRun }: AdmissionRequest): KubeObject | undefined {
  if (operation === "connect") return undefined;
  const own = options instanceof URLSearchParams ? queryOptions(options) : options === undefined ? {} : deletionOptions(options);
  return { kind: names[operation], apiVersion: "meta.k8s.io/v1", ...own, ...(dryRun ? { dryRun: ["All"] } : {}) } as KubeObject;
}

function queryOptions(query: URLSearchParams): object {
  const [fieldManager, fieldValidation] = [query.get("fieldManager") ?? "", query.get("fieldValidation") ?? ""];
  return { ...(fieldManager === "" ? {} : { fieldManager }), ...(fieldValidation === "" ? {} : { fieldValidation }) };
}

function deletionOptions({ gracePeriodSeconds, propagationPolicy, cascades, preconditions = {} }: DeletionOptions): object {
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions.uid === undefined && preconditions.resourceVersion === undefined ? {} : { preconditions }),
    ...(cascades ? { orphanDependents: false } : propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}
