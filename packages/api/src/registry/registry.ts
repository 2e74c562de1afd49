/** The resources a server knows, in the order in which discovery lists them. Custom resources come and go at run time. */

import { builtinTypes } from "../facts/builtin-types.ts";
import * as kinds from "../kinds/index.ts";
import type { Strategy } from "../strategy/strategy.ts";
import resourceFacts from "../types/resources.json" with { type: "json" };
import wireMessages from "../types/wire.json" with { type: "json" };
import type { ResourceDefinition, SubresourceDefinition } from "./resource-definition.ts";
import { compareVersions } from "./version-order.ts";

export { builtinTypes };

/** The messages that protobuf has and JSON does not show as such: options, lists, times. */
export const wireFacts: unknown = wireMessages;

/** The built-in resources in Kubernetes' order: core, then the groups by the priority of their APIServices. */
export function builtinResources(): readonly ResourceDefinition[] {
  const strategies = new Map(Object.values<Strategy>(kinds).map((strategy) => [strategy.type, strategy]));
  return (resourceFacts as readonly ResourceFacts[]).map((facts) => definitionOf(facts, strategies));
}

/** A registry of its own; without definitions, one of the built-in resources. */
export const createResourceRegistry = (definitions: Iterable<ResourceDefinition> = builtinResources()): ResourceRegistry =>
  new ResourceRegistry(definitions);

type Versions = Map<string, Map<string, ResourceDefinition>>;

/** The resources that a server serves, by group, version and plural. */
export class ResourceRegistry {
  readonly #groups = new Map<string, Versions>();
  /** Groups of the start, in their order; those that come later follow by name. */
  readonly #rank: ReadonlyMap<string, number>;
  #version = 0;

  constructor(definitions: Iterable<ResourceDefinition>) {
    for (const definition of definitions) this.set(definition);
    this.#rank = new Map([...this.#groups.keys()].map((group, index) => [group, index]));
  }

  /** Grows with every change: what is made from the registry is good as long as this stays. */
  get version(): number {
    return this.#version;
  }

  find(group: string, version: string, resource: string): ResourceDefinition | undefined {
    return this.#groups.get(group)?.get(version)?.get(resource);
  }

  byKind(group: string, version: string, kind: string): ResourceDefinition | undefined {
    return this.resources(group, version).find((definition) => definition.kind === kind);
  }

  /** The group's definition of a resource at its preferred version. */
  preferred(group: string, resource: string): ResourceDefinition | undefined {
    for (const version of this.versions(group)) {
      const definition = this.find(group, version, resource);
      if (definition !== undefined) return definition;
    }
    return undefined;
  }

  /** The definition in whose form the objects are stored; itself for most. */
  storage(definition: ResourceDefinition): ResourceDefinition {
    if (definition.custom !== undefined) return definition.custom.storedAs;
    const group = definition.storageGroup ?? definition.group;
    return this.find(group, definition.storageVersion, definition.resource) ?? definition;
  }

  /** Whether the group was there from the start: no CustomResourceDefinition brought it. */
  isBuiltIn(group: string): boolean {
    return this.#rank.has(group);
  }

  /** The core group's name is "". */
  groups(): readonly string[] {
    const rank = (group: string): number => this.#rank.get(group) ?? this.#rank.size;
    return [...this.#groups.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  }

  /** Most preferred first. */
  versions(group: string): readonly string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])].sort(compareVersions);
  }

  /** By name of the resource. */
  resources(group: string, version: string): readonly ResourceDefinition[] {
    const resources = [...(this.#groups.get(group)?.get(version)?.values() ?? [])];
    return resources.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  *all(): Generator<ResourceDefinition> {
    for (const group of this.groups()) for (const version of this.versions(group)) yield* this.resources(group, version);
  }

  /** Adds a definition, or replaces the one of the same group, version and resource. */
  set(definition: ResourceDefinition): void {
    const versions: Versions = this.#groups.get(definition.group) ?? new Map();
    const resources = versions.get(definition.version) ?? new Map<string, ResourceDefinition>();
    resources.set(definition.resource, definition);
    versions.set(definition.version, resources);
    this.#groups.set(definition.group, versions);
    this.#version += 1;
  }

  /** Whether there was one. */
  remove(group: string, version: string, resource: string): boolean {
    const versions = this.#groups.get(group);
    const resources = versions?.get(version);
    if (versions === undefined || resources?.delete(resource) !== true) return false;
    if (resources.size === 0) versions.delete(version);
    if (versions.size === 0) this.#groups.delete(group);
    this.#version += 1;
    return true;
  }
}

interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly scope: string;
  readonly singularResource: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources: readonly SubresourceFacts[];
}
interface SubresourceFacts {
  readonly name: string;
  /** Group and version are empty where they are the resource's own. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

function definitionOf(facts: ResourceFacts, strategies: ReadonlyMap<string, Strategy>): ResourceDefinition {
  const { group, version, resource, kind } = facts;
  const type = () => builtinTypes.byKind(group, version, kind) ?? missingType(facts);
  const stored = facts.verbs.includes("watch");
  const form = storedForms[`${group}/${resource}`];
  let strategy: Strategy | undefined;
  return {
    group,
    version,
    resource,
    singular: facts.singularResource,
    kind,
    listKind: `${kind}List`,
    namespaced: facts.scope === "Namespaced",
    verbs: new Set(facts.verbs),
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    subresources: new Map(facts.subresources.map((sub) => [sub.name, subresourceOf(facts, sub)])),
    get type() {
      return type();
    },
    get strategy() {
      if (strategy === undefined) {
        const { name } = type();
        strategy = strategies.get(name) ?? { type: name };
      }
      return strategy;
    },
    storagePrefix: stored ? `/registry/${storagePaths[`${group}/${resource}`] ?? resource}/` : undefined,
    storageGroup: form?.group ?? group,
    storageVersion: form?.version ?? version,
    hasStatus: facts.subresources.some((sub) => sub.name === "status"),
  };
}

const subresourceOf = (parent: ResourceFacts, { name, kind, verbs }: SubresourceFacts): SubresourceDefinition => ({
  name,
  group: kind.group === "" && kind.version === "" ? parent.group : kind.group,
  version: kind.version === "" ? parent.version : kind.version,
  kind: kind.kind,
  verbs,
});

function missingType({ group, version, kind }: ResourceFacts): never {
  throw new Error(`no built-in type is ${group}/${version} ${kind}`);
}

/** Where Kubernetes' keys in etcd are not named as the resource. */
const storagePaths: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "/nodes": "minions",
  "/services": "services/specs",
  "/endpoints": "services/endpoints",
  "/replicationcontrollers": "controllers",
  "networking.k8s.io/ingresses": "ingress",
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices": "apiregistration.k8s.io/apiservices",
};

/** Resources that are served in several forms and stored in one. */
const storedForms: Readonly<Record<string, { readonly group: string; readonly version: string }>> = {
  __proto__: null as never,
  "events.k8s.io/events": { group: "", version: "v1" },
  "autoscaling/horizontalpodautoscalers": { group: "autoscaling", version: "v2" },
};
