import type { Compare, Entry, Revision, StoreEvent, Write } from "../storage/store.ts";
import type { Change, WriteOrigin } from "./change-log.ts";

export interface Refusal {
  readonly ok: false;
  readonly actual: Entry | undefined;
  readonly failed?: Compare;
}

export type Decision =
  | { readonly ok: true; readonly events: readonly [StoreEvent, ...StoreEvent[]]; readonly entry: Entry | undefined }
  | Refusal;

/**
 * What a write does to the entries that are there: the events it makes from the revision after `revision` on, or why it makes none.
 * @throws TypeError for a key with half a surrogate pair, which no UTF-8 file can give back, and for one that comes twice.
 */
export function decide(op: Write, entryOf: (key: string) => Entry | undefined, revision: Revision): Decision {
  checkKeys(op);
  const actual = entryOf(op.key);
  const refusal = refusalOf(op, actual, entryOf);
  if (refusal !== undefined) return refusal;
  const { also = [] } = op;
  const before = also.map((one, i) => eventOf(one, entryOf(one.key), (revision + 1 + i) as Revision));
  const own = eventOf(op.op === "put" ? op : { key: op.key }, actual, (revision + 1 + also.length) as Revision);
  const [first = own, ...rest] = before;
  return {
    ok: true,
    events: before.length === 0 ? [own] : [first, ...rest, own],
    entry: own.type === "put" ? own.entry : undefined,
  };
}

/** Which condition of a write is not met; undefined where all are. `actual` is what is under its key. */
export function refusalOf(op: Write, actual: Entry | undefined, entryOf: (key: string) => Entry | undefined): Refusal | undefined {
  const failed = failedCompare(op, entryOf);
  if (failed !== undefined) return { ok: false, actual: undefined, failed };
  return op.expect === (actual?.modified ?? "absent") ? undefined : { ok: false, actual };
}

/** As they are kept in the history: each event has a revision. */
export const changesOf = (events: readonly StoreEvent[], { after, at, note, origin }: ChangeFacts): Change[] =>
  events.map((event, i) => {
    const revision = (after + 1 + i) as Revision;
    return origin === undefined ? { revision, at, event, note } : { revision, at, event, note, origin };
  });

interface ChangeFacts extends Pick<Change, "at" | "note"> {
  readonly after: Revision;
  readonly origin?: WriteOrigin | undefined;
}

/** @param previous there is one where the entry is deleted: that is a condition of it */
export function eventOf({ key, value, derived }: Changed, previous: Entry | undefined, modified: Revision): StoreEvent {
  if (value !== undefined)
    return { type: "put", entry: { key, value: ownBytes(value), created: previous?.created ?? modified, modified, derived }, previous };
  return { type: "delete", key, revision: modified, previous: previous as Entry };
}

/** Without a value it is deleted. */
interface Changed {
  readonly key: string;
  readonly value?: Uint8Array | undefined;
  readonly derived?: unknown;
}

export function checkKeys(op: Write): void {
  if (!op.key.isWellFormed()) throw new TypeError("the key is not well-formed Unicode");
  if (op.also === undefined) return;
  const keys = new Set([op.key, ...op.also.map(({ key }) => key)]);
  if (keys.size <= op.also.length) throw new TypeError("a key comes twice in one write");
}

/** The first of a write's conditions on other keys that is not met. */
function failedCompare(op: Write, entryOf: (key: string) => Entry | undefined): Compare | undefined {
  const isOther = ({ key, modified }: Compare): boolean => (entryOf(key)?.modified ?? "absent") !== modified;
  return op.compare?.find(isOther) ?? op.also?.map(({ key, expect }) => ({ key, modified: expect })).find(isOther);
}

/** A small view keeps its whole buffer alive (Node cuts small Buffers out of a shared slab); a copy does not. */
export function ownBytes(value: Uint8Array): Uint8Array {
  return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
}
