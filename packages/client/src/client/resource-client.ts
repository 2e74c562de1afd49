/** The requests of one resource. */
import { apiVersionOf, type KubeObject, type Status } from "@coxswain/machinery";
import type {
  DeleteOptions,
  ListOptions,
  Patch,
  PatchOptions,
  Repeatable,
  ResourceClient,
  Subresource,
  Target,
  WriteOptions,
} from "../contracts/client.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { listAll, listPages } from "../rest/pages.ts";
import {
  checkScope,
  collectionPath,
  creationPath,
  objectPath,
  type Query,
  type ResourceScope,
  refOfObject,
  withQuery,
} from "../rest/path.ts";
import type { JsonRequest, Requests } from "../rest/requests.ts";
import { watchResource } from "../watch/reflector.ts";
import { modifyObject } from "./modify.ts";

export interface Bound<T extends KubeObject> extends ResourceScope {
  readonly ref: ResourceRef<T>;
  readonly fieldManager: string | undefined;
  readonly omitsManagedFields: boolean;
}

/** @throws TypeError when the namespace is empty or none, or the resource has no namespaces */
export function createResourceClient<T extends KubeObject>(requests: Requests, scope: Bound<T>): ResourceClient<T> {
  checkScope(scope);
  const { ref, namespace } = scope;
  const { group, resource } = ref;
  const ask = <R>(request: Omit<JsonRequest, "group" | "resource">): Promise<R> => requests.json<R>({ ...request, group, resource });
  const write = (method: "POST" | "PUT", path: string, object: KubeObject, opts: WriteOptions): Promise<T> =>
    ask<T>({ method, path: withQuery(path, writeQuery(scope, opts)), body: withKind(ref, object), ...named(object), ...course(opts) });
  const put = (object: T, opts: WriteOptions, subresource?: string): Promise<T> =>
    write("PUT", objectPath(scope, refOfObject(object), subresource), scope.omitsManagedFields ? unmanaged(object) : object, opts);
  const patch = <R>(target: Target, body: object, contentType: string, opts: PatchOptions & { readonly force?: boolean }): Promise<R> => {
    const path = withQuery(objectPath(scope, target, opts.subresource), { ...writeQuery(scope, opts), force: opts.force });
    return ask<R>({ method: "PATCH", path, body, contentType, name: nameOf(target), ...course(opts) });
  };
  const client: ResourceClient<T> = {
    ref,
    namespace,
    get: async (target, opts = {}) => {
      const path = withQuery(objectPath(scope, target), { resourceVersion: opts.resourceVersion });
      return ask<T>({ method: "GET", path, name: nameOf(target), signal: opts.signal });
    },
    list: async (opts = {}) => listAll<T>(requests.json, scope, opts),
    pages: (opts = {}) => listPages<T>(requests.json, scope, opts),
    watch: (opts = {}) => watchResource<T>(requests, scope, opts),
    create: async (object, opts = {}) => write("POST", creationPath(scope, object), object, opts),
    update: async (object, opts = {}) => put(object, opts),
    updateStatus: async (object, opts = {}) => put(object, opts, "status"),
    patch: async (target, change, opts = {}) => patch<T>(target, change.patch, patchTypes[change.type], opts),
    apply: async (object, opts) => patch<T>(refOfObject(object), withKind(ref, object), "application/apply-patch+yaml", opts),
    modify: (target, change, opts = {}) => modifyObject(client, requests, { target, change, opts }),
    delete: async (target, opts = {}) => {
      const path = objectPath(scope, target);
      const answer = await ask<T>({ method: "DELETE", path, body: deleteBody(opts), name: nameOf(target), ...course(opts) });
      if (!isStatus(answer)) return answer;
      if (answer.details?.uid !== undefined) opts.onDeleted?.(answer.details.uid);
      return undefined;
    },
    deleteCollection: async (opts = {}) => {
      const path = withQuery(collectionPath(scope), selection(opts));
      await ask({ method: "DELETE", path, body: deleteBody(opts), ...course(opts) });
    },
    scale: async (target, replicas, opts = {}) => {
      await patch(target, { spec: { replicas } }, patchTypes.merge, { ...opts, subresource: "scale" });
    },
    subresource: (target, name) => subresourceOf(requests, scope, target, name),
  };
  return client;
}

function subresourceOf(requests: Requests, scope: Bound<KubeObject>, target: Target, subresource: string): Subresource {
  const { group, resource } = scope.ref;
  const ask = async (method: "GET" | "POST" | "PUT", query: Query, body: KubeObject | undefined, opts: Repeatable) => {
    const path = withQuery(objectPath(scope, target, subresource), query);
    return requests.json<KubeObject>({ method, path, body, group, resource, name: nameOf(target), ...course(opts) });
  };
  return {
    get: (opts = {}) => ask("GET", { resourceVersion: opts.resourceVersion }, undefined, opts),
    create: (object, opts = {}) => ask("POST", writeQuery(scope, opts), object, opts),
    update: (object, opts = {}) => ask("PUT", writeQuery(scope, opts), object, opts),
  };
}

/** Options and callbacks of one request. */
const course = ({ signal, onRepeated }: Repeatable): Pick<JsonRequest, "signal" | "onRepeated"> => ({ signal, onRepeated });

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply */
const patchTypes: Readonly<Record<Patch["type"], string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};

const writeQuery = (scope: Bound<KubeObject>, { fieldManager, dryRun, fieldValidation }: WriteOptions): Query => ({
  fieldManager: fieldManager ?? scope.fieldManager,
  dryRun: dryRun === true ? "All" : undefined,
  fieldValidation,
});

const selection = ({ labelSelector, fieldSelector }: Pick<ListOptions, "labelSelector" | "fieldSelector">): Query => ({
  labelSelector,
  fieldSelector,
});

const deleteBody = ({ preconditions, propagationPolicy, gracePeriodSeconds, dryRun }: DeleteOptions): object => ({
  kind: "DeleteOptions",
  apiVersion: "v1",
  preconditions,
  propagationPolicy,
  gracePeriodSeconds,
  dryRun: dryRun === true ? ["All"] : undefined,
});

const isStatus = (answer: KubeObject): answer is KubeObject & Status => answer.kind === "Status" && answer.apiVersion === "v1";

function unmanaged<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const withKind = (ref: ResourceRef, object: KubeObject): KubeObject => ({
  ...object,
  kind: object.kind ?? ref.kind,
  apiVersion: object.apiVersion ?? apiVersionOf(ref),
});

const nameOf = (target: Target): string => (typeof target === "string" ? target : target.name);

const named = (object: KubeObject): { readonly name?: string } =>
  object.metadata?.name === undefined ? {} : { name: object.metadata.name };
