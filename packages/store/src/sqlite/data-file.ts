/**
 * The data file: one row for each revision that is kept, which is either within the history window or the newest of its
 * key. A deletion is a row without a value.
 */
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { newerFormat, notOurs } from "./failures.ts";

/** Goes up when an older program could not read the file correctly any more. */
export const fileFormat = 1;

export interface Row {
  readonly revision: number;
  readonly key: string;
  /** The revision that made the key; for a deletion, its own. */
  readonly created: number;
  /** The revision of the key's state before this one; null when it was absent. */
  readonly previous: number | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The WriteNote as JSON. */
  readonly note: string | null;
  readonly value: Uint8Array | null;
}

const schema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY,
    key      TEXT    NOT NULL,
    created  INTEGER NOT NULL,
    previous INTEGER,
    at       INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    note     TEXT,
    value    BLOB
  ) STRICT;
  INSERT INTO meta VALUES ('format', ${fileFormat}), ('compacted', ?);
`;

/** Opens the file for this thread alone; SQLite then needs no shared memory beside it. */
export function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    if (isEmpty(db)) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Makes the tables in a new file, and makes sure that an old one can be read.
 * @throws StorageError when it is from a newer program or no data file at all.
 */
export function prepareSchema(db: DatabaseSync, path: string, firstRevision: number): void {
  if (isEmpty(db)) {
    db.exec(`BEGIN; ${schema.replace("?", String(firstRevision))} COMMIT`);
    return;
  }
  requireFormat(db, path);
}

/** @throws StorageError when it is from a newer program or no data file at all. */
export function requireFormat(db: DatabaseSync, path: string): void {
  const format = hasTable(db, "meta") ? readMeta(db, "format") : undefined;
  if (format === undefined) throw notOurs(path);
  if (format > fileFormat) throw newerFormat(path, format, fileFormat);
}

export function readMeta(db: DatabaseSync, name: "format" | "compacted"): number | undefined {
  const value = db.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value;
  return typeof value === "number" ? value : undefined;
}

/** Over everything in the row: SQLite itself would not notice a flipped bit in a value. */
export function checksum({ revision, key, created, previous, at, note, value }: Row): number {
  const head = crc32(`${revision} ${created} ${previous} ${at} ${key} ${note}`);
  return value === null ? head : crc32(value, head);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

export function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
