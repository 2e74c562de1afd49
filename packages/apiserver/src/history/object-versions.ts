/** The versions of one object, with what each write changed. */
import { type FieldChange, fieldChanges, formatPath, valueAt } from "@coxswain/apply";
import type { VersionInfo } from "@coxswain/history";
import type { FieldEdit, KubeObject, ObjectVersion, VersionWriter } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import { entriesAt } from "../storage/versions.ts";
import type { HistoryServices } from "./history-services.ts";
import { entryOf } from "./past-store.ts";

/** A version as an object of the resource; undefined for a deletion. */
export interface VersionOfObject extends VersionInfo {
  readonly object: Readonly<KubeObject> | undefined;
}

/** More fields of one write than are shown. */
export const maxChanges = 256;
/** Longer values are left out. Characters of JSON. */
const maxValueLength = 512;

/** So many are in memory at a time: each may be as large as a request. */
const versionsAtOnce = 16;

/** Newest first, up to a revision, in the version of the API that is asked for; others are served in between. */
export async function* versionsOfObject(
  { history, cache, eventLoop }: Pick<HistoryServices, "history" | "cache" | "eventLoop">,
  { resource, key }: { readonly resource: ServedResource; readonly key: string },
  upTo: number,
): AsyncGenerator<VersionOfObject, void, undefined> {
  for (let next = upTo; ; ) {
    const versions = await history.valuesOf(key, { upTo: next, limit: versionsAtOnce });
    const present = versions.flatMap(({ revision, value }) => (value === undefined ? [] : [entryOf({ key, modified: revision, value })]));
    const converted = await entriesAt(cache, present, resource);
    const objects = new Map(converted.map((entry) => [entry.modified as number, cache.objectAt(entry, resource)]));
    for (const { value: _, ...info } of versions) yield { ...info, object: objects.get(info.revision) };
    const last = versions.at(-1);
    if (last === undefined || versions.length < versionsAtOnce) return;
    next = last.revision - 1;
    await eventLoop.yieldFor(Number.POSITIVE_INFINITY);
  }
}

/** What a version is, and how it differs from the one before: undefined where that is not known. */
export function describeVersion(
  resource: ServedResource,
  version: VersionOfObject,
  before: VersionOfObject | "absent" | undefined,
): ObjectVersion {
  const previous = before === "absent" ? undefined : before?.object;
  const isUpdate = version.object !== undefined && previous !== undefined;
  return {
    ...describeWriter(version, before),
    ...(isUpdate ? { changes: editsBetween(resource, previous, version.object) } : {}),
  };
}

/** The same without what differs. */
export function describeWriter(version: VersionOfObject, before: VersionOfObject | "absent" | undefined): VersionWriter {
  const { revision, at, isDeletion, note, object } = version;
  const isCreation = object !== undefined && before !== undefined && (before === "absent" || before.object === undefined);
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
