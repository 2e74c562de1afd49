/** The form of an answer. */

/** The versions of meta.k8s.io in which Tables and metadata can be asked for. */
export type MetaVersion = "v1" | "v1beta1";

export type Encoding = "json" | "yaml" | "protobuf";

export type Shape =
  | { readonly as: "object" }
  | { readonly as: "table"; readonly version: MetaVersion }
  /** `list`: asked for as PartialObjectMetadataList, which only a list can be. */
  | { readonly as: "metadata"; readonly version: MetaVersion; readonly list: boolean };

export interface Representation {
  readonly encoding: Encoding;
  readonly shape: Shape;
  readonly indent: boolean;
}
