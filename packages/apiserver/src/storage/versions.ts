/**
 * Custom resources whose versions a webhook converts. Their entries are converted where they are read, into entries that
 * look as if they had been stored in the wanted version: from there on they take the same path as all others.
 */
import { convertObject } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import { withSortedKeys } from "./sorted-keys.ts";
import { convertedCustom, encodeCustom, hasHead, type ObjectCache } from "./stored-object.ts";

/** Whether reading or writing the resource may mean to ask a webhook. */
export const isConverted = ({ definition }: ServedResource): boolean => definition.custom?.conversion !== undefined;

/** Whether the entry was stored in the version that is wanted, under whatever schema. */
export const isInVersion = (cache: ObjectCache, entry: Entry, resource: ServedResource): boolean =>
  hasHead(entry, resource) || cache.objectOf(entry).apiVersion === resource.apiVersion;

/** The entries in the version that is wanted, with one question for all that are in another. @throws the Status of the webhook's failure */
export async function entriesAt(cache: ObjectCache, entries: readonly Entry[], resource: ServedResource): Promise<readonly Entry[]> {
  const conversion = resource.definition.custom?.conversion;
  if (conversion === undefined) return entries;
  const foreign = entries.filter((entry) => !isInVersion(cache, entry, resource));
  if (foreign.length === 0) return entries;
  const objects = await conversion.convert(
    foreign.map((entry) => cache.storedObject(entry, resource)),
    resource.apiVersion,
  );
  const converted = new Map(foreign.map((entry, i) => [entry, convertedEntry(cache, entry, objects[i] ?? {}, resource)]));
  return entries.map((entry) => converted.get(entry) ?? entry);
}

/** At once where nobody is to be asked. @throws the Status of the webhook's failure */
export const entryAt = (cache: ObjectCache, entry: Entry, resource: ServedResource): Entry | Promise<Entry> =>
  isConverted(resource) ? entriesAt(cache, [entry], resource).then(([converted = entry]) => converted) : entry;

function convertedEntry(cache: ObjectCache, entry: Entry, converted: Readonly<KubeObject>, resource: ServedResource): Entry {
  const object = withSortedKeys(convertedCustom(converted, resource));
  const value = encodeCustom(object);
  return { key: entry.key, value, created: entry.created, modified: entry.modified, derived: cache.passingDerivedOf(object, resource) };
}

/** The object in the version in which it is stored, at once where it is that; the caller's to change when it is not the argument. */
export const inStorageVersion = (object: KubeObject, resource: ServedResource): KubeObject | Promise<KubeObject> =>
  resource.storage === resource ? object : normalisedForStorage(object, resource);

async function normalisedForStorage(object: KubeObject, resource: ServedResource): Promise<KubeObject> {
  const stored = await convertedTo(object, resource, resource.storage);
  resource.storage.definition.custom?.normalize(stored);
  return stored;
}

/** What a write that is only tried answers: the way into the store and back is part of what may fail. */
export async function throughStorage(object: KubeObject, resource: ServedResource): Promise<KubeObject> {
  if (resource.storage === resource || resource.definition.custom === undefined) return object;
  return convertedTo(await inStorageVersion(object, resource), resource.storage, resource);
}

/** The object as another version of its resource has it; the caller's to change when it is not the argument. */
export async function convertedTo(object: Readonly<KubeObject>, from: ServedResource, to: ServedResource): Promise<KubeObject> {
  const { custom } = to.definition;
  const [asked] = (await custom?.conversion?.convert([object], to.apiVersion)) ?? [];
  return custom === undefined ? convertObject(object, from.definition, to.definition) : convertedCustom(asked ?? object, to);
}
