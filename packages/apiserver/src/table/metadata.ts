/**
 * Objects reduced to their metadata, for clients that watch many kinds and read nothing else of them.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
import type { ResourceDefinition } from "@coxswain/api";
import { type KubeObject, type ListMeta, stringifyJson } from "@coxswain/machinery";
import type { MetaVersion } from "../contracts/representation.ts";

export interface PartialObjectMetadataList {
  readonly kind: "PartialObjectMetadataList";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly items: readonly KubeObject[];
}

export const metaApiVersion = (version: MetaVersion = "v1"): string => `meta.k8s.io/${version}`;

export const partialObjectMetadata = (
  { strategy }: Pick<ResourceDefinition, "strategy">,
  object: KubeObject,
  version?: MetaVersion,
): KubeObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: metaApiVersion(version),
  metadata: strategy.ownMetadata?.(object.metadata) ?? object.metadata ?? {},
});

export const partialObjectMetadataList = (
  definition: ResourceDefinition,
  objects: Iterable<KubeObject>,
  metadata: ListMeta,
  version?: MetaVersion,
): PartialObjectMetadataList => ({
  kind: "PartialObjectMetadataList",
  apiVersion: metaApiVersion(version),
  metadata,
  items: Array.from(objects, (object) => partialObjectMetadata(definition, object, version)),
});

/** The list as JSON text, one piece for each item. */
export function* partialObjectMetadataListText(
  definition: ResourceDefinition,
  objects: Iterable<KubeObject>,
  metadata: ListMeta,
  version?: MetaVersion,
): Generator<string> {
  const head = { kind: "PartialObjectMetadataList", apiVersion: metaApiVersion(version), metadata };
  let before = `${stringifyJson(head).slice(0, -1)},"items":[`;
  for (const object of objects) {
    yield before + stringifyJson(partialObjectMetadata(definition, object, version));
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}
