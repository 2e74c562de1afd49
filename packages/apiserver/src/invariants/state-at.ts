/** Objects and changes as invariants see them. */
import type { HistoryReader, RecordedStore } from "@coxswain/history";
import type { GroupVersionResource, KubeObject, ObjectName } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { ListedObject, ObservedChange, StateAt } from "../contracts/invariant.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { NamedResource } from "../history/object-names.ts";
import { objectAt } from "../history/object-names.ts";
import { pastStore } from "../history/past-store.ts";
import { prefixOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entriesAt } from "../storage/versions.ts";

export interface StateServices {
  readonly store: RecordedStore;
  readonly history: HistoryReader;
  readonly served: ServedResources;
  readonly cache: ObjectCache;
}

export type ResourceNames = ReadonlyMap<string, NamedResource>;

export function stateAt(services: StateServices, revision: number, names: ResourceNames): StateAt {
  const { store, history, served, cache } = services;
  return {
    revision,
    async list({ group, version, resource: plural }, namespace = ""): Promise<readonly ListedObject[]> {
      const resource = served.find(group, version, plural);
      if (resource === undefined || resource.prefix === "") return [];
      const { entries } = await pastStore(store, history, revision as Revision).list(prefixOf(resource, namespace));
      return (await entriesAt(cache, entries, resource)).flatMap((entry) => {
        const name = objectAt(entry.key, names);
        // Other resources have a prefix that begins with this one.
        if (name === undefined || name.group !== group || name.resource !== plural) return [];
        return [{ name: { ...name, version }, object: cache.objectAt(entry, resource) }];
      });
    },
  };
}

/** A change whose entries are read when somebody looks at them. */
export interface ChangeSource {
  readonly revision: number;
  readonly object: ObjectName;
  readonly entry: () => Promise<Entry | undefined>;
  readonly previous: () => Promise<Entry | undefined>;
}

export function observedChange({ served, cache }: Pick<StateServices, "served" | "cache">, change: ChangeSource): ObservedChange {
  const { revision, object } = change;
  const inVersion = async (entry: Entry | undefined, version: string): Promise<Readonly<KubeObject> | undefined> => {
    const resource = served.find(object.group, version, object.resource);
    if (entry === undefined || resource === undefined) return undefined;
    const [converted = entry] = await entriesAt(cache, [entry], resource);
    return cache.objectAt(converted, resource);
  };
  return {
    revision,
    object,
    after: async (version) => inVersion(await change.entry(), version),
    before: async (version) => inVersion(await change.previous(), version),
  };
}

/** Whether an object is one of a resource, in whatever version. */
export const isOf = (object: ObjectName, { group, resource }: Pick<GroupVersionResource, "group" | "resource">): boolean =>
  object.group === group && object.resource === resource;
