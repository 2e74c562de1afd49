/** The local copies that one controller reads. There may be several of a resource, of different objects or of some that are the same. */
import type { KubeObject } from "@coxswain/machinery";
import type { Lister } from "../cache/lister.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { byControllerIndex, type SourceConnection } from "./source.ts";

/** The first. @throws TypeError when the resource wakes the controller in no way */
export function cacheOf<T extends KubeObject>(connections: readonly SourceConnection[], ref: ResourceRef<T>): Lister<T> {
  const [first] = listersOf(connections, ref);
  if (first === undefined) throw new TypeError(`the controller has no cache of ${ref.resource}`);
  // Whoever names a resource says by that what its objects are.
  return first as Lister<KubeObject> as Lister<T>;
}

/** What the owner of this uid controls, each once. @throws TypeError as cacheOf */
export function ownedBy(connections: readonly SourceConnection[], ref: ResourceRef, uid: string): KubeObject[] {
  const listers = listersOf(connections, ref);
  if (listers.size < 2) return cacheOf(connections, ref).byIndex(byControllerIndex, uid);
  const owned = [...listers].flatMap((lister) => lister.byIndex(byControllerIndex, uid));
  return [...new Map(owned.map((object) => [object.metadata?.uid, object])).values()];
}

function listersOf(connections: readonly SourceConnection[], { group, resource }: ResourceRef): Set<Lister> {
  const informers = connections.map(({ informer }) => informer);
  return new Set(informers.filter(({ ref }) => ref.group === group && ref.resource === resource).map(({ lister }) => lister));
}
