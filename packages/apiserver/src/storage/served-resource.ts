/** Makes what is served of resource definitions, and says where their objects are stored. */
import { builtinTypes, type CustomResourceStats, type ResourceDefinition, type ResourceRegistry } from "@coxswain/api";
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
    byKind(group, version, kind) {
      const definition = registry.byKind(group, version, kind);
      return definition === undefined ? undefined : of(definition);
    },
    serves: (definition) =>
      definition.custom === undefined || registry.find(definition.group, definition.version, definition.resource) === definition,
    find(group, version, resource) {
      const definition = registry.find(group, version, resource);
      return definition === undefined ? undefined : of(definition);
    },
  };
}

/** A kind that no resource is named after. */
export interface SubresourceKind extends Pick<ServedResource, "alsoIn" | "notIn">, Partial<Pick<ResourceDefinition, "strategy">> {
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly kind: string;
}

/** What a subresource reads and writes where it is not its parent: as a resource without storage. */
export function servedSubresource({ alsoIn, notIn, ...kind }: SubresourceKind): ServedResource {
  const made = serve(subresourceDefinition(kind), undefined);
  return { ...made, ...(alsoIn === undefined ? {} : { alsoIn }), ...(notIn === undefined ? {} : { notIn }) };
}

function subresourceDefinition({ group, version, resource, kind, strategy }: SubresourceKind): ResourceDefinition {
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
    type,
    strategy: strategy ?? { type: type.name },
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
