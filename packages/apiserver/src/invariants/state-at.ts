/** Objects and changes as invariants see them. */
import type { HistoryReader, RecordedStore } from "@coxswain/history";
import { type KubeObject, notFound, type ObjectName } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { ListedObject, NamedResource, ObservedChange, StateAt } from "../contracts/invariant.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
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
    resources: [...names.values()],
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
    if (entry === undefined) return undefined;
    const resource = served.find(object.group, version, object.resource);
    if (resource === undefined) throw notFound({ group: object.group, resource: object.resource }, `version ${version}`);
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
