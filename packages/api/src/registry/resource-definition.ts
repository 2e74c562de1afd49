/** What the server knows of a resource: the facts from resources.json with its type and its strategy. */
import type { DecodeReport, KubeObject, StructType } from "@coxswain/machinery";
import type { Strategy } from "../strategy/strategy.ts";

/** A subresource that is served: the type of its bodies, and what can be done with it. */
export interface SubresourceDefinition {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Makes objects of one resource over into another of its versions, where that takes asking a webhook. */
export interface ObjectConverter {
  /** In the order of `objects`, each in version `apiVersion`; those that are in it already come back as they are. */
  convert(objects: readonly Readonly<KubeObject>[], apiVersion: string): Promise<readonly Readonly<KubeObject>[]>;
}

/** A resource that is served at one version. A CustomResourceDefinition becomes the same at run time. */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  /** Plural, as in the URL. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlyMap<string, SubresourceDefinition>;
  readonly type: StructType;
  readonly strategy: Strategy;
  /** Where its objects live: `/registry/pods/`. Undefined for what is never stored (reviews, bindings). */
  readonly storagePrefix: string | undefined;
  /** The group whose form is stored, where it is not the resource's own: Events of both groups are stored as core ones. */
  readonly storageGroup?: string;
  /** The version whose form is stored; the same resource at another version converts. */
  readonly storageVersion: string;
  readonly hasStatus: boolean;
  /** The published OpenAPI v3 schema of a custom resource, complete with metadata; built-in ones follow from their facts. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** What is particular to a custom resource; absent for built-in ones. */
  readonly custom?: CustomFacts;
}

/** How the objects of a CustomResourceDefinition are read and served, at one of its versions. */
export interface CustomFacts {
  readonly stats: CustomResourceStats;
  /** The definition of the version in which objects are stored, served or not. */
  readonly storedAs: ResourceDefinition;
  /** The definitions of the other versions by name, served or not. */
  readonly versions: ReadonlyMap<string, ResourceDefinition>;
  /** Normalises what a client sent, in place. @throws DecodeError */
  decode(object: KubeObject, report: DecodeReport | undefined): void;
  /** The same with what an apply has made, whose nulls stay for validation to refuse. @throws DecodeError */
  settle(object: KubeObject): void;
  /** Normalises what was stored under another schema, in place. */
  normalize(object: KubeObject): void;
  /** Leaves in an object that was converted from another version, in place, only what this one has. */
  prune(object: KubeObject): void;
  /** Where a webhook converts between the versions; without it they differ by name only. */
  readonly conversion?: ObjectConverter | undefined;
  /** Where the scale subresource finds its parts. */
  readonly scale: ScalePaths | undefined;
  /** The warning of every request to a deprecated version. */
  readonly deprecation: string | undefined;
}

/** What all definitions that were ever made of one CustomResourceDefinition share. */
export interface CustomResourceStats {
  /** Objects that were written before this revision may not suit the schema: they are normalised when they are read. */
  settledSince: number;
  /** Of the CustomResourceDefinition, as stored. */
  bytes?: number;
  /** Where the CustomResourceDefinition is stored, and in which state; undefined once it is gone. */
  stored?: { readonly key: string; readonly revision: number } | undefined;
  /** Until when its objects are taken to be slow to check; on the server's monotonic clock. */
  slowUntil?: number;
  /** How many objects are being written that a replaced schema has made: until they are known, none is taken to suit. */
  outdatedWrites?: number;
  /** The instances are being deleted with their definition: none may be created. */
  terminating: boolean;
}

/** Fields of the scale subresource in the object: `["spec", "replicas"]`. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector?: readonly string[];
}
