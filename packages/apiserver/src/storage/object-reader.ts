/** Reading single objects: by their resource in its stored version, as they are at this moment. */
import type { KubeObject } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { ServedResources } from "../contracts/served-resource.ts";
import { keyOf, prefixOf } from "./served-resource.ts";
import type { ObjectCache } from "./stored-object.ts";

/** What it takes to read objects. */
export interface ObjectReader {
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly served: Pick<ServedResources, "find" | "byKind">;
}

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Undefined where there is no such object; `T` is what the kind's rules have made sure of. `namespace`: empty for cluster-scoped kinds. */
export async function readObject<T extends KubeObject>(
  { served, store, cache }: ObjectReader,
  { group, version, resource: plural }: ResourceName,
  namespace: string,
  name: string,
): Promise<Readonly<T> | undefined> {
  const resource = served.find(group, version, plural);
  if (resource === undefined) return undefined;
  const { entry } = await store.get(keyOf(resource, namespace, name));
  return entry === undefined ? undefined : (cache.objectOf(entry) as Readonly<T>);
}

/** The same of the core group. */
export const readCoreObject = <T extends KubeObject>(
  reader: ObjectReader,
  resource: string,
  namespace: string,
  name: string,
): Promise<Readonly<T> | undefined> => readObject<T>(reader, { group: "", version: "v1", resource }, namespace, name);

/** Those of a namespace, or of all of them where `namespace` is empty. */
export async function listObjects<T extends KubeObject>(
  { served, store, cache }: ObjectReader,
  { group, version, resource: plural }: ResourceName,
  namespace = "",
): Promise<readonly Readonly<T>[]> {
  const resource = served.find(group, version, plural);
  if (resource === undefined) return [];
  const { entries } = await store.list(prefixOf(resource, namespace));
  return entries.map((entry) => cache.objectOf(entry) as Readonly<T>);
}
