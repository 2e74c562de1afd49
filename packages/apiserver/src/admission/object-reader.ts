/** What plug-ins read of other objects: by the kind's resource in its stored version, as it is at this moment. */
import type { KubeObject } from "@coxswain/machinery";
import type { ServerContext } from "../context.ts";
import { keyOf, prefixOf } from "../registry/served-resource.ts";

export type ObjectReader = Pick<ServerContext, "served" | "store" | "cache">;

export interface ClusterResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Undefined where there is no such object; `T` is what the kind's rules have made sure of. */
export async function getClusterObject<T extends KubeObject>(
  { served, store, cache }: ObjectReader,
  { group, version, resource: name }: ClusterResource,
  of: string,
): Promise<Readonly<T> | undefined> {
  const resource = served.find(group, version, name);
  if (resource === undefined) return undefined;
  const { entry } = await store.get(keyOf(resource, "", of));
  return entry === undefined ? undefined : (cache.objectOf(entry) as Readonly<T>);
}

export async function listClusterObjects<T extends KubeObject>(
  { served, store, cache }: ObjectReader,
  { group, version, resource: name }: ClusterResource,
): Promise<readonly Readonly<T>[]> {
  const resource = served.find(group, version, name);
  if (resource === undefined) return [];
  const { entries } = await store.list(prefixOf(resource, ""));
  return entries.map((entry) => cache.objectOf(entry) as Readonly<T>);
}
