/** Changes on their way to the thread that keeps them: all bytes in one buffer, which changes hands. */

/** A change as it is recorded. */
export interface RecordedChange {
  readonly revision: number;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The WriteNote as JSON. */
  readonly note: string | undefined;
  /** Undefined for a deletion. */
  readonly value: Uint8Array | undefined;
  /** The value has the form in which it is encrypted at rest. */
  readonly isSealed: boolean;
  /** What the value was before, and at which revision, where that is known. */
  readonly previous: { readonly revision: number; readonly value: Uint8Array } | undefined;
}

/** Consecutive changes. */
export interface ChangeBatch {
  readonly keys: readonly string[];
  readonly notes: readonly (string | undefined)[];
  /** For each change: revision, time, length of the value (-1: a deletion), whether it is sealed, revision (-1: none) and length of the value before. */
  readonly numbers: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const numbersEach = 6;

/** Of a key that changes several times in the batch, only its first change carries what was before. */
export function encodeChangeBatch(changes: readonly RecordedChange[]): ChangeBatch {
  const keys: string[] = [];
  const notes: (string | undefined)[] = [];
  const numbers: number[] = [];
  const pieces: Uint8Array[] = [];
  const seen = new Set<string>();
  let total = 0;
  const place = (bytes: Uint8Array | undefined): void => {
    if (bytes === undefined) return;
    pieces.push(bytes);
    total += bytes.byteLength;
  };
  for (const { revision, key, at, note, value, isSealed, previous } of changes) {
    keys.push(key);
    notes.push(note);
    const before = value === undefined || isSealed || seen.has(key) ? undefined : previous;
    seen.add(key);
    numbers.push(revision, at, value?.byteLength ?? -1, isSealed ? 1 : 0, before?.revision ?? -1, before?.value.byteLength ?? 0);
    place(value);
    place(before?.value);
  }
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  return { keys, notes, numbers, bytes };
}

/** Values are parts of the batch's buffer. */
export function* decodeChangeBatch({ keys, notes, numbers, bytes }: ChangeBatch): Generator<RecordedChange, void, undefined> {
  const values = new Map<string, { readonly revision: number; readonly value: Uint8Array }>();
  let offset = 0;
  const take = (length: number): Uint8Array => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  for (const [i, key] of keys.entries()) {
    const [revision = 0, at = 0, length = -1, sealed = 0, before = -1, beforeLength = 0] = numbers.slice(
      numbersEach * i,
      numbersEach * (i + 1),
    );
    const value = length < 0 ? undefined : take(length);
    const previous = before < 0 ? values.get(key) : { revision: before, value: take(beforeLength) };
    if (value === undefined || sealed === 1) values.delete(key);
    else values.set(key, { revision, value });
    yield { revision, key, at, note: notes[i], value, isSealed: sealed === 1, previous };
  }
}
