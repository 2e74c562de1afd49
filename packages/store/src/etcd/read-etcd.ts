/** What etcd holds, read page by page. */
import type { ChangeLog } from "../engine/change-log.ts";
import type { StoredValues } from "../engine/stored-values.ts";
import { emptyTree, putEntry, type Tree } from "../engine/tree.ts";
import { type Entry, type ListResult, type Revision, StorageError } from "../storage/store.ts";
import { entryOf } from "./changes.ts";
import { newestRevision } from "./current-revision.ts";
import type { EtcdConnection } from "./etcd-connection.ts";
import { isCompacted } from "./etcd-errors.ts";
import { follow, HistoryGoneError } from "./follow.ts";
import type { Keyspace } from "./keys.ts";
import type { KeyValue } from "./protocol.ts";

/** Of a page, and how many changes before the newest are wanted at the start. */
const pageEntries = 500;
const wantedRevisions = 10_000;

export interface Target {
  readonly log: ChangeLog;
  readonly values: StoredValues;
}

/**
 * Fills the log with the state from which on etcd keeps changes, at most so long ago: with those, a watch that another server has served
 * goes on here. @returns the newest revision, which is reached by following
 */
export const loadWindow = (etcd: EtcdConnection, keys: Keyspace, target: Target): Promise<Revision> =>
  load(etcd, keys, target, (newest) => oldestFollowable(etcd, keys, Math.max(1, newest - wantedRevisions)));

/** Fills the log with the newest state alone. */
export const loadNewest = (etcd: EtcdConnection, keys: Keyspace, target: Target): Promise<Revision> =>
  load(etcd, keys, target, async (newest) => newest);

/** A key, or a page of those with a prefix, at a revision that is no longer kept here. */
export type PastQuery = { readonly at: Revision; readonly after?: string; readonly limit?: number } & (
  | { readonly key: string }
  | { readonly prefix: string }
);

/** @throws GrpcError also where etcd does not keep it either */
export async function readPast(etcd: EtcdConnection, keys: Keyspace, values: StoredValues, query: PastQuery): Promise<ListResult> {
  const { at, after, limit = 0 } = query;
  const range =
    "key" in query
      ? { key: keys.toEtcd(query.key) }
      : { key: keys.toEtcd(after === undefined ? query.prefix : `${after}\0`), rangeEnd: endOf(keys.toEtcd(query.prefix)) };
  const { kvs, count } = await etcd.range({ ...range, limit, revision: at });
  const entries = entriesOf(kvs, keys).map((entry) => values.load(entry));
  for (const entry of entries) await values.check(entry);
  return { revision: at, entries, remaining: count - kvs.length };
}

/** @throws StorageError where the state was copied there in part */
export async function requireComplete(etcd: EtcdConnection, { incomplete }: Keyspace): Promise<void> {
  const { kvs } = await etcd.range({ key: incomplete });
  if (kvs.length > 0) throw new StorageError("the state in etcd is incomplete: a copy to it has not ended; wait for that, or copy again");
}

/** `from` says at which revision the state is wanted. @returns the newest one */
async function load(etcd: EtcdConnection, keys: Keyspace, target: Target, from: (newest: number) => Promise<number>): Promise<Revision> {
  for (;;) {
    const newest = await newestRevision(etcd, keys);
    const revision = await from(newest);
    try {
      await loadState(etcd, keys, target, revision as Revision);
      return newest as Revision;
    } catch (error) {
      // Between the two etcd has compacted.
      if (!isCompacted(error)) throw error;
    }
  }
}

/** The revision itself, or the first after it from which on changes are kept. */
async function oldestFollowable(etcd: EtcdConnection, keys: Keyspace, wanted: number): Promise<number> {
  try {
    await etcd.range({ key: keys.nothing, countOnly: true, revision: wanted });
    return wanted;
  } catch (error) {
    if (!isCompacted(error)) throw error;
  }
  // Which revision that is, only a watch says, when it is refused.
  const probe = new AbortController();
  try {
    const came = Promise.withResolvers<void>();
    const { ended } = await follow({ etcd, range: keys, known: { after: () => wanted - 1 }, take: () => came.resolve() }, probe.signal);
    await Promise.race([came.promise, ended]);
    return wanted;
  } catch (error) {
    if (error instanceof HistoryGoneError) return error.compacted;
    throw error;
  } finally {
    probe.abort();
  }
}

async function loadState(etcd: EtcdConnection, keys: Keyspace, { log, values }: Target, revision: Revision): Promise<void> {
  let tree: Tree = emptyTree;
  for (let key = keys.objects; ; ) {
    const { kvs, more } = await etcd.range({ key, rangeEnd: keys.end, limit: pageEntries, revision });
    for (const entry of entriesOf(kvs, keys)) tree = putEntry(tree, values.load(entry));
    const last = kvs.at(-1);
    if (!more || last === undefined) break;
    key = Buffer.concat([last.key, Buffer.of(0)]);
  }
  log.reset(tree, revision);
}

function entriesOf(kvs: readonly KeyValue[], keys: Keyspace): Entry[] {
  return kvs.flatMap((kv) => {
    const key = keys.fromEtcd(kv.key);
    return key === undefined ? [] : [entryOf(key, kv)];
  });
}

/** The first key behind all that begin with these bytes. */
export function endOf(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    if (end[at] === 0xff) continue;
    end[at] = (end[at] ?? 0) + 1;
    return end.subarray(0, at + 1);
  }
  return Buffer.of(0);
}
