import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { ChangeLog } from "../engine/change-log.ts";
import { StoredValues } from "../engine/stored-values.ts";
import { emptyTree, getEntry, putEntry, type Tree } from "../engine/tree.ts";
import { type Entry, type Revision, StorageError, type StoreEvent, type WriteNote } from "../storage/store.ts";
import { checksum, openDatabase, prepareSchema, type Row, readMeta } from "./data-file.ts";
import { damaged, failureOf, storageError } from "./failures.ts";
import { createPrivately } from "./lock.ts";

/**
 * Fills the log with what the file holds: the entries at the compacted revision, then every change since. Each row is
 * checked against its checksum and against the rows before it, so that damage is found here and not by a client. Before that,
 * SQLite's quick_check finds damage to pages that hides rows: a tenth of the time that all of this takes.
 * @throws StorageError
 */
export function loadDataFile(path: string, log: ChangeLog, values = new StoredValues()): void {
  try {
    createPrivately(path);
    using db = openDatabase(path);
    prepareSchema(db, path, log.revision);
    checkPages(db);
    const compacted = readMeta(db, "compacted");
    if (compacted === undefined) throw new DamagedRow("it does not say what was compacted");
    loadRows(rows(db), compacted, log, values);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw error instanceof DamagedRow ? damaged(path, error.message) : storageError(path, failureOf(error));
  }
}

/** What a row says cannot be so. */
export class DamagedRow extends Error {}

/** How many rows a page has stands in its header, which no row's checksum covers. */
export function checkPages(db: DatabaseSync): void {
  const { quick_check: found } = db.prepare("PRAGMA quick_check(1)").get() ?? {};
  if (found !== "ok") throw new DamagedRow(`its pages are not in order (${String(found).replaceAll("\n", "; ")})`);
}

/** In one go from the first row to the last: a search for where changes begin would pass over rows that damage has put out of order. */
function loadRows(all: Iterable<Row>, compacted: number, log: ChangeLog, values: StoredValues): void {
  let tree = emptyTree;
  let isReset = false;
  let last = 0;
  for (const row of all) {
    if (row.revision <= last) throw new DamagedRow(`revision ${row.revision} is out of order`);
    last = row.revision;
    if (row.revision <= compacted) tree = withCompacted(tree, row, values);
    else {
      if (!isReset) log.reset(tree, compacted as Revision);
      isReset = true;
      loadChange(row, log, values);
    }
  }
  if (!isReset) log.reset(tree, compacted as Revision);
}

function withCompacted(tree: Tree, row: Row, values: StoredValues): Tree {
  const entry = entryOf(row, values);
  if (entry === undefined || getEntry(tree, row.key) !== undefined) throw new DamagedRow(`revision ${row.revision} should be compacted`);
  return putEntry(tree, entry);
}

function loadChange(row: Row, log: ChangeLog, values: StoredValues): void {
  const revision = row.revision as Revision;
  const previous = getEntry(log.tree, row.key);
  if (revision !== log.revision + 1) throw new DamagedRow(`revision ${log.revision + 1} is missing`);
  if (row.previous !== (previous?.modified ?? null)) throw new DamagedRow(`revision ${revision} does not follow what was there`);
  log.append({ revision, at: row.at, event: eventOf(row, previous, values), note: noteOf(row) });
}

function* rows(db: DatabaseSync): Generator<Row, void, undefined> {
  const select = db.prepare("SELECT revision, key, created, previous, at, checksum, note, value FROM revisions ORDER BY revision");
  for (const found of select.iterate()) yield checkedRow(found);
}

/** @throws DamagedRow */
export function checkedRow(found: Record<string, SQLOutputValue>): Row {
  const row = rowOf(found);
  if (found.checksum !== checksum(row)) throw new DamagedRow(`the checksum of revision ${row.revision} does not match`);
  return row;
}

function rowOf({ revision, key, created, previous, at, note, value }: Record<string, SQLOutputValue>): Row {
  const isSound =
    typeof revision === "number" &&
    typeof key === "string" &&
    typeof created === "number" &&
    (typeof previous === "number" || previous === null) &&
    typeof at === "number" &&
    (typeof note === "string" || note === null) &&
    (value instanceof Uint8Array || value === null);
  if (!isSound) throw new DamagedRow(`revision ${revision} is malformed`);
  return { revision, key, created, previous, at, note, value };
}

function entryOf({ key, value, created, revision }: Row, values: StoredValues): Entry | undefined {
  if (value === null) return undefined;
  return values.load({ key, value, created: created as Revision, modified: revision as Revision, derived: undefined });
}

function eventOf(row: Row, previous: Entry | undefined, values: StoredValues): StoreEvent {
  const entry = entryOf(row, values);
  if (entry !== undefined) return { type: "put", entry, previous };
  if (previous === undefined) throw new DamagedRow(`revision ${row.revision} deletes what was not there`);
  return { type: "delete", key: row.key, revision: row.revision as Revision, previous };
}

function noteOf({ note }: Row): WriteNote | undefined {
  return note === null ? undefined : JSON.parse(note);
}
