/** What etcd reports as changes of the store. */
import type { Change } from "../engine/change-log.ts";
import { eventOf, ownBytes } from "../engine/compare-and-swap.ts";
import type { Entry, Revision, StoreEvent, Write, WriteNote } from "../storage/store.ts";
import type { Keyspace } from "./keys.ts";
import type { WatchEvent } from "./protocol.ts";
import { decodeRecord } from "./write-record.ts";

export interface ChangeParts {
  readonly keys: Keyspace;
  readonly entryOf: (key: string) => Entry | undefined;
  /** As read from what is stored. */
  readonly load: (entry: Entry) => Entry;
  readonly now: number;
}

/** What others have written in one revision, in etcd's order. Who wrote it says the record of a server among it. */
export function changesOfRevision(
  events: readonly WatchEvent[],
  revision: Revision,
  { keys, entryOf: previousOf, load, now }: ChangeParts,
): Change[] {
  const mark = events.find(({ type, kv }) => type === "PUT" && kv.key.toString("latin1").startsWith(keys.serverPrefix));
  const record = mark === undefined ? undefined : decodeRecord(mark.kv.value);
  const change = (event: StoreEvent): Change => ({ revision, at: record?.at ?? now, event, note: record?.note });
  const changes: Change[] = [];
  for (const { type, kv } of events) {
    const key = keys.fromEtcd(kv.key);
    if (key === undefined) continue;
    const previous = previousOf(key);
    if (type === "PUT") changes.push(change({ type: "put", entry: load(entryOf(key, kv)), previous }));
    else if (previous !== undefined) changes.push(change({ type: "delete", key, revision, previous }));
  }
  return changes;
}

/** One write of this server, which waits for its answer. */
export interface OwnWrite {
  readonly op: Write;
  readonly note: WriteNote | undefined;
  readonly at: number;
}

/** What a write of this server has changed: its bytes need not be read again. */
export function ownChanges({ op, note, at }: OwnWrite, revision: Revision, entryAt: (key: string) => Entry | undefined): Change[] {
  const changes: Change[] = [];
  const add = (one: Parameters<typeof eventOf>[0]): void => {
    const previous = entryAt(one.key);
    if (one.value !== undefined || previous !== undefined) changes.push({ revision, at, event: eventOf(one, previous, revision), note });
  };
  op.also?.forEach(add);
  add(op.op === "put" ? op : { key: op.key });
  return changes;
}

export const entryOf = (key: string, kv: WatchEvent["kv"]): Entry => ({
  ...{ key, value: ownBytes(kv.value), created: kv.createRevision as Revision, modified: kv.modRevision as Revision },
  derived: undefined,
});
