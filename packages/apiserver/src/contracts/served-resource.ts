/** A resource definition with what every request on it needs, worked out once. */
import type { CustomResourceStats, ResourceDefinition } from "@coxswain/api";
import type { GroupResource, StructType } from "@coxswain/machinery";

export interface ServedResource {
  readonly definition: ResourceDefinition;
  readonly type: StructType;
  readonly apiVersion: string;
  readonly groupResource: GroupResource;
  /** `/registry/configmaps/`; empty for what is never stored. */
  readonly prefix: string;
  /** The form in which objects are stored, whose kind errors of validation name; this very object for most resources. */
  readonly storage: ServedResource;
  /** Other versions in which a body may come that is the same in all of them. */
  readonly alsoIn?: readonly string[];
  /** Other versions in which a body is understood, and refused for its version alone. */
  readonly notIn?: readonly string[];
  /** How stored bytes begin: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{`; in the order of the alphabet for custom resources. */
  readonly head: Buffer;
  /** As long as `head`: how those of custom resources began once. */
  readonly olderHead: Buffer | undefined;
  /** How it begins as an item of a list: built-in kinds leave kind and apiVersion to the list. */
  readonly itemHead: Buffer;
  /** Built-in kinds share one, since which nothing changes. */
  readonly stats: Readonly<CustomResourceStats>;
}

export interface ServedResources {
  find(group: string, version: string, resource: string): ServedResource | undefined;
  of(definition: ResourceDefinition): ServedResource;
  /** By the kind of an object instead of the resource in a URL. */
  byKind(group: string, version: string, kind: string): ServedResource | undefined;
  /** Whether a resource is still served as this definition says; built-in ones always are. */
  serves(definition: ResourceDefinition): boolean;
}
