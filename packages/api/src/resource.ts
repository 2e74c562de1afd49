/** What the server knows of a resource: the facts from resources.json with its type and its behaviour. */
import type { StructType } from "@coxswain/machinery";
import type { KindBehaviour } from "./kind.ts";

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  /** 0 is always shown, more only with -o wide. */
  readonly priority: number;
  readonly description: string;
}

export interface SubresourceDefinition {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
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
  readonly columns: readonly Column[];
  readonly type: StructType;
  readonly behaviour: KindBehaviour;
  /** Where its objects live: `/registry/pods/`. Undefined for what is never stored (reviews, bindings). */
  readonly storagePrefix: string | undefined;
  /** The group whose form is stored, where it is not the resource's own: Events of both groups are stored as core ones. */
  readonly storageGroup?: string;
  /** The version whose form is stored; the same resource at another version converts. */
  readonly storageVersion: string;
  readonly hasStatus: boolean;
  /** The published OpenAPI v3 schema of a custom resource, complete with metadata; built-in ones follow from their facts. */
  readonly schema?: Readonly<Record<string, unknown>>;
}
