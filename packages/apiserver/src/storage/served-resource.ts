/** Makes what is served of resource definitions, and says where their objects are stored. */
import {
  builtinTypes,
  type CustomResourceStats,
  type ResourceDefinition,
  type ResourceRegistry,
  scaleColumns,
  scaleKind,
} from "@coxswain/api";
import { apiVersionOf } from "@coxswain/machinery";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";

export function servedResources(registry: ResourceRegistry): ServedResources {
  const known = new WeakMap<ResourceDefinition, ServedResource>();
  const of = (definition: ResourceDefinition): ServedResource => {
    const found = known.get(definition);
    if (found !== undefined) return found;
    const stored = registry.storage(definition);
    const made = serve(definition, stored === definition ? undefined : of(stored));
    known.set(definition, made);
    return made;
  };
  return {
    of,
    scale: {
      ...of({ ...subresourceKind("autoscaling", "v1", "scales", "Scale"), columns: scaleColumns, strategy: scaleKind }),
      notIn: ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"],
    },
    binding: of(subresourceKind("", "v1", "bindings", "Binding")),
    eviction: { ...of(subresourceKind("policy", "v1", "evictions", "Eviction")), alsoIn: ["policy/v1beta1"] },
    tokenRequest: of(subresourceKind("authentication.k8s.io", "v1", "tokenrequests", "TokenRequest")),
    find(group, version, resource) {
      const definition = registry.find(group, version, resource);
      return definition === undefined ? undefined : of(definition);
    },
  };
}

/** A kind that no resource is named after, as a resource without storage. */
function subresourceKind(group: string, version: string, resource: string, kind: string): ResourceDefinition {
  const type = builtinTypes.byKind(group, version, kind);
  if (type === undefined) throw new Error(`no built-in type is ${group}/${version} ${kind}`);
  return {
    group,
    version,
    resource,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: true,
    verbs: new Set(),
    shortNames: [],
    categories: [],
    subresources: new Map(),
    columns: [],
    type,
    strategy: { type: type.name },
    storagePrefix: undefined,
    storageVersion: version,
    hasStatus: false,
  };
}

function serve(definition: ResourceDefinition, storage: ServedResource | undefined): ServedResource {
  const apiVersion = apiVersionOf(definition);
  const { custom } = definition;
  const kindPart = `"kind":${JSON.stringify(definition.kind)}`;
  const versionPart = `"apiVersion":${JSON.stringify(apiVersion)}`;
  const kindFirst = Buffer.from(`{${kindPart},${versionPart},"metadata":{`);
  const head = custom === undefined ? kindFirst : Buffer.from(`{${versionPart},${kindPart},"metadata":{`);
  const made = {
    definition,
    type: definition.type,
    apiVersion,
    groupResource: { group: definition.group, resource: definition.resource },
    prefix: definition.storagePrefix ?? "",
    head,
    olderHead: custom === undefined ? undefined : kindFirst,
    itemHead: custom === undefined ? itemHead : head,
    stats: custom?.stats ?? settled,
  };
  return storage === undefined ? selfStored(made) : { ...made, storage };
}

const itemHead = Buffer.from('{"metadata":{');
const settled: CustomResourceStats = { settledSince: 0, terminating: false };

function selfStored(made: Omit<ServedResource, "storage">): ServedResource {
  const self = { ...made, storage: undefined } as Omit<ServedResource, "storage"> & { storage: ServedResource | undefined };
  self.storage = self as ServedResource;
  return self as ServedResource;
}

export const keyOf = (resource: ServedResource, namespace: string, name: string): string =>
  resource.definition.namespaced ? `${resource.prefix}${namespace}/${name}` : `${resource.prefix}${name}`;

/** The prefix of a namespace's objects, or of all. */
export const prefixOf = (resource: ServedResource, namespace: string): string =>
  namespace === "" ? resource.prefix : `${resource.prefix}${namespace}/`;
