import type { Compare, Entry, Revision, StoreEvent, Write } from "../storage/store.ts";

export type Decision = { readonly ok: true; readonly event: StoreEvent; readonly entry: Entry | undefined } | { readonly ok: false };

/**
 * What a write does to the entry that is there: the event it makes at `revision`, or nothing when its expectation is not met.
 * @throws TypeError for a key with half a surrogate pair, which no UTF-8 file can give back.
 */
export function decide(op: Write, actual: Entry | undefined, revision: Revision): Decision {
  if (!op.key.isWellFormed()) throw new TypeError("the key is not well-formed Unicode");
  if (op.expect !== (actual?.modified ?? "absent")) return { ok: false };
  if (op.op === "put") {
    const { key, value, derived } = op;
    const entry = { key, value: ownBytes(value), created: actual?.created ?? revision, modified: revision, derived };
    return { ok: true, event: { type: "put", entry, previous: actual }, entry };
  }
  if (actual === undefined) return { ok: false };
  return { ok: true, event: { type: "delete", key: op.key, revision, previous: actual }, entry: undefined };
}

/** The first of a write's conditions on other keys that is not met. */
export function failedCompare(op: Write, entryOf: (key: string) => Entry | undefined): Compare | undefined {
  if (op.op === "delete" || op.compare === undefined) return undefined;
  return op.compare.find(({ key, modified }) => entryOf(key)?.modified !== modified);
}

/** A small view keeps its whole buffer alive (Node cuts small Buffers out of a shared slab); a copy does not. */
function ownBytes(value: Uint8Array): Uint8Array {
  return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
}
