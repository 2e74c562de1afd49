/** The versions of one object, with what each write changed. */
import { type FieldChange, fieldChanges, formatPath, valueAt } from "@coxswain/apply";
import type { HistoryReader, Version, VersionInfo } from "@coxswain/history";
import type { FieldEdit, KubeObject, ObjectVersion } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entriesAt } from "../storage/versions.ts";
import { entryOf } from "./past-store.ts";

/** A version as an object of the resource; undefined for a deletion. */
export interface VersionOfObject extends VersionInfo {
  readonly object: Readonly<KubeObject> | undefined;
}

/** More fields of one write than are shown. */
export const maxChanges = 256;
/** Longer values are left out. Characters of JSON. */
const maxValueLength = 512;

/** Newest first, in the version of the API that is asked for. */
export async function versionsOfObject(
  history: HistoryReader,
  cache: ObjectCache,
  { resource, key }: { readonly resource: ServedResource; readonly key: string },
  range: Parameters<HistoryReader["valuesOf"]>[1],
): Promise<readonly VersionOfObject[]> {
  const versions = await history.valuesOf(key, range);
  const present = versions.flatMap((one) => (one.value === undefined ? [] : [entryOf({ key, modified: one.revision, value: one.value })]));
  const converted = await entriesAt(cache, present, resource);
  const objects = new Map(converted.map((entry) => [entry.modified as number, cache.objectAt(entry, resource)]));
  return versions.map(({ value: _, ...info }: Version) => ({ ...info, object: objects.get(info.revision) }));
}

/** What a version is, and how it differs from the one before: undefined where that is not known. */
export function describeVersion(
  resource: ServedResource,
  version: VersionOfObject,
  before: VersionOfObject | "absent" | undefined,
): ObjectVersion {
  const { revision, at, isDeletion, note, object } = version;
  const previous = before === "absent" ? undefined : before?.object;
  const isCreation = object !== undefined && before !== undefined && previous === undefined;
  return {
    resourceVersion: String(revision),
    // What was there when the record began, was written before that.
    ...(at === 0 || (before === undefined && note === undefined) ? {} : { time: new Date(at).toISOString() }),
    operation: isDeletion ? "delete" : isCreation ? "create" : "update",
    ...(note?.verb === undefined ? {} : { verb: note.verb }),
    ...(note?.user === undefined ? {} : { user: note.user }),
    ...(note?.manager ? { manager: note.manager } : {}),
    ...(note?.userAgent ? { userAgent: note.userAgent } : {}),
    ...(note?.requestId === undefined ? {} : { requestID: note.requestId }),
    ...(note?.readAt ? { readResourceVersion: note.readAt } : {}),
    ...(object === undefined || previous === undefined ? {} : { changes: editsBetween(resource, previous, object) }),
  };
}

/** Field by field; a list's items are known by their keys where the list has any. */
export function editsBetween(resource: ServedResource, before: Readonly<KubeObject>, after: Readonly<KubeObject>): readonly FieldEdit[] {
  return fieldChanges(resource.type, before, after, maxChanges).map(({ kind, path }) => ({
    kind,
    field: formatPath(path),
    ...(kind === "added" ? {} : shown("from", valueAt(resource.type, before, path))),
    ...(kind === "removed" ? {} : shown("to", valueAt(resource.type, after, path))),
  }));
}

/** The paths alone, of all fields that were written. */
export const changedPaths = ({ type }: ServedResource, before: Readonly<KubeObject>, after: Readonly<KubeObject>): readonly FieldChange[] =>
  fieldChanges(type, before, after);

function shown(name: "from" | "to", value: unknown): object {
  const text = JSON.stringify(value);
  return text === undefined || text.length > maxValueLength ? {} : { [name]: value };
}
