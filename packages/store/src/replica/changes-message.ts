/** Changes as they go to the copies of a store: keys, notes and numbers, while the values are in shared memory. */
import type { Change } from "../engine/change-log.ts";
import type { Entry, Revision, StoreEvent, WriteNote } from "../storage/store.ts";
import { type ChangesMessage, numbersPerChange, type SharedSlab } from "./protocol.ts";
import type { SharedValues } from "./shared-values.ts";

interface Context {
  readonly values: SharedValues;
  readonly compacted: Revision;
  readonly slabs: readonly SharedSlab[];
  readonly isUnreadable: (entry: Entry) => boolean;
}

/** @param changes whose values have their places */
export function encodeChanges(changes: readonly Change[], { values, compacted, slabs, isUnreadable }: Context): ChangesMessage {
  const keys: string[] = [];
  const notes: (WriteNote | undefined)[] = [];
  const numbers = new Float64Array(changes.length * numbersPerChange);
  let i = 0;
  for (const { revision, at, event, note, origin } of changes) {
    const entry = event.type === "put" ? event.entry : undefined;
    const place = entry && values.placeOf(entry);
    keys.push(event.type === "put" ? event.entry.key : event.key);
    notes.push(note);
    numbers[i++] = revision;
    numbers[i++] = at;
    numbers[i++] = entry?.created ?? -1;
    numbers[i++] = place?.slab ?? 0;
    numbers[i++] = place?.offset ?? 0;
    numbers[i++] = place?.length ?? 0;
    numbers[i++] = origin?.replica ?? 0;
    numbers[i++] = origin?.id ?? 0;
    numbers[i++] = entry !== undefined && isUnreadable(entry) ? 1 : 0;
  }
  return { kind: "changes", compacted, slabs, current: values.current?.number, keys, notes, numbers };
}

/** Entries as changes that have made them. */
export const changesThatMake = (entries: readonly Entry[]): Change[] =>
  entries.map((entry) => ({ revision: entry.modified, at: 0, event: { type: "put", entry, previous: undefined }, note: undefined }));

/** @param previousOf what is under a key before all of them */
export function decodeChanges(
  { keys, notes, numbers }: ChangesMessage,
  slabs: ReadonlyMap<number, SharedArrayBuffer>,
  previousOf: (key: string) => Entry | undefined,
): Change[] {
  const decoded: Change[] = [];
  const made = new Map<string, Entry | undefined>();
  for (const [i, sent] of keys.entries()) {
    const at = i * numbersPerChange;
    const revision = numbers[at] as Revision;
    const previous = made.has(sent) ? made.get(sent) : previousOf(sent);
    // One text for all versions of an object.
    const key = previous?.key ?? sent;
    const created = numbers[at + 2] as Revision;
    const value = created < 0 ? undefined : viewOf(slabs, numbers, at + 3);
    const entry = value && { key, value, created, modified: revision, derived: undefined };
    made.set(key, entry);
    decoded.push({ revision, at: numbers[at + 1] as number, event: eventOf({ key, entry, previous, revision }), note: notes[i] });
  }
  return decoded;
}

/** Whose write a change was, and whether what it put can be read. */
export const marksOf = ({ numbers }: ChangesMessage, change: number) => {
  const at = change * numbersPerChange;
  return { replica: numbers[at + 6] as number, id: numbers[at + 7] as number, isUnreadable: numbers[at + 8] === 1 };
};

interface EventParts {
  readonly key: string;
  readonly entry: Entry | undefined;
  readonly previous: Entry | undefined;
  readonly revision: Revision;
}

function eventOf({ key, entry, previous, revision }: EventParts): StoreEvent {
  if (entry !== undefined) return { type: "put", entry, previous };
  if (previous === undefined) throw new Error(`revision ${revision} deletes what is not there`);
  return { type: "delete", key, revision, previous };
}

/** What stands at `at` is slab, offset and length. */
export function viewOf(slabs: ReadonlyMap<number, SharedArrayBuffer>, numbers: Float64Array, at: number): Uint8Array {
  const slab = slabs.get(numbers[at] as number);
  if (slab === undefined) throw new Error(`slab ${numbers[at]} is not known`);
  return new Uint8Array(slab, numbers[at + 1], numbers[at + 2]);
}
