/** What etcd reports as changes of the store. */
import type { Change } from "../engine/change-log.ts";
import { eventOf, ownBytes } from "../engine/compare-and-swap.ts";
import type { Entry, Revision, StoreEvent, Write, WriteNote } from "../storage/store.ts";
import type { Keyspace } from "./keys.ts";
import type { WatchEvent } from "./protocol.ts";
import { decodeRecord } from "./write-record.ts";

/** One write of this server, which waits for its answer. */
export interface OwnWrite {
  readonly op: Write;
  readonly note: WriteNote | undefined;
  readonly at: number;
}

/** The changes of one revision, in etcd's order. */
export interface RevisionChange<W extends OwnWrite = OwnWrite> {
  readonly revision: Revision;
  readonly events: readonly WatchEvent[];
  /** The write of this server that it was. */
  readonly own: W | undefined;
  readonly note: WriteNote | undefined;
  readonly at: number | undefined;
}

interface RevisionContext<W> {
  readonly keys: Keyspace;
  readonly serverKey: Buffer;
  readonly ownWrites: ReadonlyMap<number, W>;
  /** What came up to here is known. */
  readonly after: Revision;
}

/** Events as etcd sends them, by revision; those of own writes are known by the record that they have left at this server's key. */
export function* revisionsOf<W extends OwnWrite>(
  events: readonly WatchEvent[],
  { keys, serverKey, ownWrites, after }: RevisionContext<W>,
): Generator<RevisionChange<W>, void, undefined> {
  for (let from = 0; from < events.length; ) {
    const revision = (events[from] as WatchEvent).kv.modRevision as Revision;
    let to = from + 1;
    while (events[to]?.kv.modRevision === revision) to++;
    const all = events.slice(from, to);
    from = to;
    if (revision <= after) continue;
    const mark = all.find(({ type, kv }) => type === "PUT" && kv.key.toString("latin1").startsWith(keys.serverPrefix));
    const record = mark === undefined ? undefined : decodeRecord(mark.kv.value);
    const own = record === undefined || mark?.kv.key.equals(serverKey) !== true ? undefined : ownWrites.get(record.id);
    yield { revision, events: all, note: record?.note, at: record?.at, own };
  }
}

export interface ChangeParts {
  readonly entryOf: (key: string) => Entry | undefined;
  /** As read from what is stored. */
  readonly load: (entry: Entry) => Entry;
  readonly now: number;
}

/** The same as changes of the tree that there is. */
export function changesOfRevision({ revision, events, own, note, at }: RevisionChange, keys: Keyspace, parts: ChangeParts): Change[] {
  const change = (event: StoreEvent): Change => ({ revision, at: at ?? parts.now, event, note });
  if (own !== undefined) return ownEvents(own.op, revision, parts.entryOf).map(change);
  const changes: Change[] = [];
  for (const { type, kv } of events) {
    const key = keys.fromEtcd(kv.key);
    if (key === undefined) continue;
    const previous = parts.entryOf(key);
    if (type === "PUT") changes.push(change({ type: "put", entry: parts.load(entryOf(key, kv)), previous }));
    else if (previous !== undefined) changes.push(change({ type: "delete", key, revision, previous }));
  }
  return changes;
}

/** What a write of this server has changed: its bytes need not be read again. */
export function ownEvents(op: Write, revision: Revision, entryAt: (key: string) => Entry | undefined): StoreEvent[] {
  const changed: Parameters<typeof eventOf>[0][] = [...(op.also ?? []), op.op === "put" ? op : { key: op.key }];
  return changed.flatMap((one) => {
    const previous = entryAt(one.key);
    return one.value === undefined && previous === undefined ? [] : [eventOf(one, previous, revision)];
  });
}

export const entryOf = (key: string, kv: WatchEvent["kv"]): Entry => ({
  ...{ key, value: ownBytes(kv.value), created: kv.createRevision as Revision, modified: kv.modRevision as Revision },
  derived: undefined,
});
