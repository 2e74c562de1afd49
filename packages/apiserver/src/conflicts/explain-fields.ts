/** The fields that changed since a write's version: by whom, and what they mean to the write. */
import {
  concerns,
  excluding,
  type FieldFilter,
  type FieldPath,
  type FieldTree,
  fieldChanges,
  fieldTree,
  overlaps,
  type StatusCause,
} from "@coxswain/machinery";
import type { Entry, KeyChange } from "@coxswain/store";
import { describeChange, describeField, describeManager } from "./cause-text.ts";
import type { Explainer } from "./explain.ts";
import { mostFields, type NamedChange } from "./revision-changes.ts";
import type { OldVersion } from "./stale-write.ts";

export interface Span {
  readonly read: Entry;
  readonly current: Entry;
  /** All changes from the one to the other, oldest first. */
  readonly steps: readonly KeyChange[] | typeof endPoints;
}

export const endPoints = "endPoints";

const mostCauses = 32;
/** Of causes as JSON; well below 16 KB with what else is in a Status. */
const mostBytes = 12 * 1024;

interface ChangedField extends NamedChange {
  /** Who and when, with the word for what was done. */
  readonly story: string;
}

export async function explainFields(by: Explainer, write: OldVersion, span: Span, last: KeyChange): Promise<readonly StatusCause[]> {
  const fields = changedFields(by, write, span);
  if (fields.length === 0) return [{ reason: "OtherChange", message: `written ${describeChange(last)} without a change of its fields` }];
  const wish = await wishOf(by, write, span.read);
  return bounded(sortedCauses(fields, wish, write.resource.definition.hasStatus));
}

function changedFields(by: Explainer, write: OldVersion, span: Span): readonly ChangedField[] {
  const told = span.steps === endPoints ? undefined : stepByStep(by, write, span.read, span.steps);
  return told ?? betweenEnds(by, write, span);
}

/** Undefined when there is too much to go through. */
function stepByStep(
  { changes }: Explainer,
  { resource }: OldVersion,
  read: Entry,
  steps: readonly KeyChange[],
): readonly ChangedField[] | undefined {
  const byField = new Map<string, { readonly last: NamedChange; readonly by: KeyChange; readonly times: number }>();
  let previous = read;
  let seen = 0;
  for (const step of steps) {
    if (step.entry === undefined) return undefined;
    const changed = changes.between(previous, step.entry, resource);
    seen += changed.length;
    if (seen > mostFields) return undefined;
    for (const last of changed) byField.set(last.field, { last, by: step, times: (byField.get(last.field)?.times ?? 0) + 1 });
    previous = step.entry;
  }
  return [...byField.values()].map(({ last, by, times }) => ({
    ...last,
    story: `${last.kind} ${describeChange(by)}${times > 1 ? ` (last of ${times} changes)` : ""}`,
  }));
}

/** Then only managed fields tell who it was. */
function betweenEnds({ cache, changes }: Explainer, { resource }: OldVersion, { read, current }: Span): readonly ChangedField[] {
  const { managers } = cache.managedOf(current);
  const newest = managers.toSorted((a, b) => Date.parse(b.time ?? "") - Date.parse(a.time ?? ""));
  return changes.compare(read, current, resource).map((change) => {
    const manager = newest.find(({ fields }) => concerns(fields, change.path));
    const who = manager?.time === undefined ? "by one of many" : `last by ${describeManager(manager.manager)} at ${manager.time}`;
    return { ...change, story: manager?.time === undefined ? `changed ${who}` : `changed, ${who}` };
  });
}

/** What the write would do: a tree of fields, the whole object, or nobody can tell. */
type Wish = FieldTree | "delete" | undefined;

async function wishOf({ cache }: Explainer, { resource, intent }: OldVersion, read: Entry): Promise<Wish> {
  if (intent === "delete") return intent;
  try {
    const [before, after] = await intent.compare(cache.objectAt(read, resource), () => cache.managedOf(read));
    const filter: FieldFilter = (fields) => restored(intent.filter === undefined ? fields : intent.filter(fields));
    return fieldTree(fieldChanges(resource.type, before, after, { filter, most: mostFields }).map(({ path }) => path));
  } catch {
    return undefined;
  }
}

/** What an update that leaves it out does not take away. */
const restored = excluding(["metadata", "deletionTimestamp"], ["metadata", "deletionGracePeriodSeconds"]);

const ranks = ["OverlappingChange", "OtherChange", "StatusChange"] as const;

function sortedCauses(fields: readonly ChangedField[], wish: Wish, hasStatus: boolean): readonly StatusCause[] {
  const byReason = { OverlappingChange: [], OtherChange: [], StatusChange: [] } as Record<(typeof ranks)[number], StatusCause[]>;
  for (const { field, story, path } of fields.toSorted((a, b) => (a.field < b.field ? -1 : 1))) {
    const { reason, relation } = relate(path, wish, hasStatus);
    byReason[reason].push({ reason, message: `${story}; ${relation}`, field: describeField(field) });
  }
  return ranks.flatMap((reason) => byReason[reason]);
}

function relate(path: FieldPath, wish: Wish, hasStatus: boolean): { readonly reason: (typeof ranks)[number]; readonly relation: string } {
  if (typeof wish === "object" && overlaps(wish, path)) return { reason: "OverlappingChange", relation: "this write changes it too" };
  const [first] = path;
  if (hasStatus && first?.kind === "field" && first.name === "status") return { reason: "StatusChange", relation: "status only" };
  if (wish === "delete") return { reason: "OverlappingChange", relation: "this write deletes the object" };
  return {
    reason: "OtherChange",
    relation: wish === undefined ? "whether this write changes it cannot be told" : "this write does not change it",
  };
}

function bounded(causes: readonly StatusCause[]): readonly StatusCause[] {
  let bytes = 0;
  const fits = (cause: StatusCause): boolean => {
    bytes += Buffer.byteLength(JSON.stringify(cause));
    return bytes <= mostBytes;
  };
  const told: StatusCause[] = [];
  for (const cause of causes) {
    if (told.length === mostCauses || !fits(cause)) break;
    told.push(cause);
  }
  const left = causes.length - told.length;
  const more = left === 1 ? "1 more field changed" : `${left} more fields changed`;
  return left === 0 ? told : [...told, { reason: "MoreChanges", message: more }];
}
