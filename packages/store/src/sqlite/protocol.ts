/** What the store's thread and the writing thread say to each other. The answers come in the order of the requests. */
import type { Change } from "../engine/change-log.ts";
import type { Entry } from "../storage/store.ts";
import type { Row } from "./data-file.ts";
import type { SqliteFailure } from "./failures.ts";

export type Request =
  | { readonly kind: "commit"; readonly batch: Batch; readonly compaction: Compaction | undefined }
  | { readonly kind: "compact"; readonly compaction: Compaction }
  /** Which revision is the newest in the file. */
  | { readonly kind: "newest" }
  | { readonly kind: "close" };

/** `newest`: where that was asked. */
export type Answer = { readonly ok: true; readonly newest?: number } | { readonly ok: false; readonly failure: SqliteFailure };

/** Forgets the states from one revision, where the last compaction ended, to before another. */
export interface Compaction {
  readonly from: number;
  readonly to: number;
}

/** Consecutive changes of one moment. All values in one buffer, which changes hands instead of being copied once more. */
export interface Batch {
  readonly first: number;
  readonly at: number;
  readonly keys: readonly string[];
  readonly notes: readonly (string | null)[];
  /** For each change: created, previous (-1: none), and the value's length (-1: a deletion). */
  readonly numbers: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function encodeBatch(changes: readonly Change[], storedOf: (entry: Entry) => Uint8Array = ({ value }) => value): Batch {
  const keys: string[] = [];
  const notes: (string | null)[] = [];
  const numbers: number[] = [];
  let total = 0;
  for (const { event } of changes) if (event.type === "put") total += storedOf(event.entry).byteLength;
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const { event, note, revision } of changes) {
    notes.push(note === undefined ? null : JSON.stringify(note));
    const previous = event.previous?.modified ?? -1;
    if (event.type === "put") {
      const { key, created } = event.entry;
      const value = storedOf(event.entry);
      keys.push(key);
      numbers.push(created, previous, value.byteLength);
      bytes.set(value, offset);
      offset += value.byteLength;
    } else {
      keys.push(event.key);
      numbers.push(revision, previous, -1);
    }
  }
  return { first: changes[0]?.revision ?? 0, at: changes[0]?.at ?? 0, keys, notes, numbers, bytes };
}

export function* decodeBatch({ first, at, keys, notes, numbers, bytes }: Batch): Generator<Row, void, undefined> {
  let offset = 0;
  for (const [i, key] of keys.entries()) {
    const [created = 0, previous = -1, length = -1] = numbers.slice(3 * i, 3 * i + 3);
    const value = length < 0 ? null : bytes.subarray(offset, offset + length);
    offset += Math.max(length, 0);
    yield { revision: first + i, key, created, previous: previous < 0 ? null : previous, at, note: notes[i] ?? null, value };
  }
}
