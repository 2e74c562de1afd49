/** The fields that changed between two versions of an object: the writer, and the time. */
import { concerns, type FieldPath } from "@coxswain/apply";
import type { Entry, KeyChange } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { describeChange, describeManager } from "./cause-text.ts";
import { maxFields, type NamedChange, type RevisionChanges } from "./revision-changes.ts";

export interface Span {
  readonly read: Entry;
  readonly current: Entry;
  /** The changes from the one to the other, oldest first: the last of them, where there are many. */
  readonly steps: readonly KeyChange[];
  /** Whether each is looked at, or only what is between the ends. */
  readonly each: boolean;
}

export interface ChangedField {
  readonly path: FieldPath;
  /** The path as it is shown. */
  readonly field: string;
  /** An operation, its writer and its time. */
  readonly story: string;
}

/** In the order of their names. @throws Error when an object does not have the shape of its type */
export function changedFields(changes: RevisionChanges, cache: ObjectCache, resource: ServedResource, span: Span): readonly ChangedField[] {
  const each = span.each ? stepByStep(changes, resource, span.read, span.steps) : undefined;
  return (each ?? betweenEnds(changes, cache, resource, span)).toSorted((a, b) => (a.field < b.field ? -1 : 1));
}

/** Undefined when there is too much to go through. */
function stepByStep(
  changes: RevisionChanges,
  resource: ServedResource,
  read: Entry,
  steps: readonly KeyChange[],
): readonly ChangedField[] | undefined {
  const byField = new Map<string, { change: NamedChange; story: string; times: number }>();
  let previous = read;
  let seen = 0;
  for (const made of steps) {
    if (made.entry === undefined) return undefined;
    const step = changes.step(previous, made.entry, made, resource);
    seen += step.changes.length;
    if (seen > maxFields) return undefined;
    for (const change of step.changes) {
      const times = (byField.get(change.field)?.times ?? 0) + 1;
      byField.set(change.field, { change, story: step.story, times });
    }
    previous = made.entry;
  }
  return [...byField.values()].map(({ change: { kind, path, field }, story, times }) => ({
    path,
    field,
    story: `${kind} ${story}${times > 1 ? ` (last of ${times} changes)` : ""}`,
  }));
}

/** Then only managed fields name the writer, unless there was no other. */
function betweenEnds(
  changes: RevisionChanges,
  cache: ObjectCache,
  resource: ServedResource,
  { read, current, steps: [only, ...others] }: Span,
): readonly ChangedField[] {
  const found = changes.compare(read, current, resource);
  if (only !== undefined && others.length === 0) {
    return found.map(({ kind, path, field }) => ({ path, field, story: `${kind} ${describeChange(only)}` }));
  }
  const timed = cache
    .managedOf(current)
    .managers.flatMap(({ manager, time, fields }) => (time === undefined ? [] : [{ manager, time, fields }]));
  const newest = timed.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
  return found.map(({ path, field }) => {
    const by = newest.find(({ fields }) => concerns(fields, path));
    return {
      path,
      field,
      story: by === undefined ? "changed by one of many" : `changed, last by ${describeManager(by.manager)} at ${by.time}`,
    };
  });
}
