/** A kept copy of a resource: a change counts before its write is answered. */
import type { KubeObject } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ObjectReader, ResourceName } from "./object-reader.ts";

/** Where an object is; `namespace` is empty for cluster-scoped kinds. */
export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Called for each object that is there and for each change; without an object for one that is deleted. */
export type SetObject<T extends KubeObject> = (at: ObjectPlace, object: Readonly<T> | undefined) => void;

/**
 * Resolves once every stored object was given to `set`; it follows until it is disposed of. `T` is what the kind's rules have made
 * sure of. A resource that is not served has no objects.
 */
export async function followResource<T extends KubeObject>(
  { served, store, cache }: ObjectReader,
  { group, version, resource }: ResourceName,
  set: SetObject<T>,
): Promise<Disposable> {
  const prefix = served.find(group, version, resource)?.prefix;
  if (prefix === undefined) return { [Symbol.dispose]: () => undefined };
  const put = (entry: Entry): void => set(placeOf(entry.key, prefix), cache.objectOf(entry) as Readonly<T>);
  const { entries, revision } = await store.list(prefix);
  for (const entry of entries) put(entry);
  return store.subscribe(prefix, { after: revision }, ({ events }) => {
    for (const event of events) {
      if (event.type === "put") put(event.entry);
      else set(placeOf(event.key, prefix), undefined);
    }
  });
}

/** Keys are `PREFIX NAME` or `PREFIX NAMESPACE/NAME`; names may hold colons, never slashes. */
function placeOf(key: string, prefix: string): ObjectPlace {
  const rest = key.slice(prefix.length);
  const slash = rest.indexOf("/");
  return slash < 0 ? { namespace: "", name: rest } : { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
