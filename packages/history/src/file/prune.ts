/** Drops what is older than history is to be, a chunk at a time. */
import type { DatabaseSync } from "node:sqlite";
import { type ChunkStore, compress } from "./chunk-store.ts";
import { type HistoryFileReader, rowOf } from "./history-file-reader.ts";
import { metaOf } from "./history-writer.ts";
import { revisionOfId } from "./schema.ts";

/** How much history is kept. Undefined: without a bound. */
export interface HistoryBounds {
  /** Milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Size of the file, what is free in it not counted. */
  readonly maxBytes?: number | undefined;
}

/** So many chunks are dropped in one transaction: others wait for it. */
const chunksAtOnce = 8;

export interface PruneParts {
  readonly db: DatabaseSync;
  readonly chunks: ChunkStore;
  readonly reader: HistoryFileReader;
}

/** Drops some of what is beyond the bounds. @returns whether there may be more */
export function pruneSome(parts: PruneParts, { maxAgeMs, maxBytes }: HistoryBounds, now: number): boolean {
  const { db } = parts;
  db.exec("BEGIN IMMEDIATE");
  try {
    let dropped = 0;
    for (; dropped < chunksAtOnce; dropped++) {
      const oldest = db.prepare("SELECT id, last FROM chunks ORDER BY id LIMIT 2").all();
      // The newest chunk stays: what was recorded last is read from it.
      if (oldest.length < 2) break;
      const [chunk] = oldest;
      const last = Number(chunk?.last);
      const isOld = maxAgeMs !== undefined && timeOf(db, last) < now - maxAgeMs;
      const isLarge = maxBytes !== undefined && usedBytes(db) > maxBytes;
      if (!isOld && !isLarge) break;
      dropChunk(parts, Number(chunk?.id), last);
    }
    db.exec("COMMIT");
    if (dropped > 0) db.exec("PRAGMA incremental_vacuum(256)");
    return dropped === chunksAtOnce;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** What the file holds, without what is free in it. */
export function usedBytes(db: DatabaseSync): number {
  const found = db
    .prepare(
      "SELECT (pages - free) * size AS bytes FROM (SELECT page_count AS pages FROM pragma_page_count), (SELECT freelist_count AS free FROM pragma_freelist_count), (SELECT page_size AS size FROM pragma_page_size)",
    )
    .get();
  return Number(found?.bytes ?? 0);
}

const timeOf = (db: DatabaseSync, id: number): number => Number(db.prepare("SELECT at FROM versions WHERE id = ?").get(id)?.at ?? 0);

/** History begins with the last revision of the chunk afterwards: of each key the state then stays, whole. */
function dropChunk({ db, chunks, reader }: PruneParts, chunk: number, last: number): void {
  const rows = db
    .prepare("SELECT id, key, depth, sealed, chunk, position, length FROM versions WHERE id >= ? AND id <= ? AND chunk = ? ORDER BY id")
    .all(chunk, last, chunk);
  const newest = new Map(rows.map((found) => [Number(found.key), rowOf(found)]));
  const kept = [...newest].flatMap(([key, row]) => (row.depth < 0 ? [] : [{ key, id: row.id, value: reader.valueOf(key, row) }]));
  const dropCarried = db.prepare("DELETE FROM carried WHERE id IN (SELECT id FROM versions WHERE key = ? AND id <= ? AND chunk = 0)");
  const dropVersions = db.prepare("DELETE FROM versions WHERE key = ? AND id <= ?");
  const dropKey = db.prepare("DELETE FROM keys WHERE id = ? AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.key = keys.id)");
  const carry = db.prepare("INSERT INTO carried VALUES (?, ?)");
  const point = db.prepare("UPDATE versions SET depth = 0, chunk = 0, position = 0, length = ? WHERE id = ?");
  for (const { key, id, value } of kept) {
    dropCarried.run(key, id - 1);
    dropVersions.run(key, id - 1);
    carry.run(id, compress(value));
    point.run(value.byteLength, id);
  }
  for (const [key, row] of newest) {
    if (row.depth >= 0) continue;
    dropCarried.run(key, row.id);
    dropVersions.run(key, row.id);
    dropKey.run(key);
  }
  db.prepare("DELETE FROM chunks WHERE id = ?").run(chunk);
  chunks.forget(chunk);
  const oldest = Math.max(metaOf(db, "oldest") ?? 0, revisionOfId(last));
  db.prepare("UPDATE meta SET value = ? WHERE name = 'oldest'").run(oldest);
  db.prepare("DELETE FROM times WHERE id < (SELECT max(id) FROM times WHERE id <= ?)").run(last);
  db.prepare("DELETE FROM gaps WHERE until <= ?").run(oldest);
}
