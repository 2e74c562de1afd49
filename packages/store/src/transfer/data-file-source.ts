/** The state in a data file at its newest revision. */
import { DatabaseSync } from "node:sqlite";
import { openDatabase, readMeta, requireFormat } from "../sqlite/data-file.ts";
import { damaged, failureOf, storageError } from "../sqlite/failures.ts";
import { checkedRow, checkPages, DamagedRow } from "../sqlite/load.ts";
import { defaultKeyRoot } from "../storage/key-root.ts";
import { StorageError } from "../storage/store.ts";
import { pageBytes, type StateEntry, type StateSource } from "./state.ts";

const pageEntries = 1_000;

/** Rows that no later one has taken the place of, and that are no deletions. */
const live = `FROM revisions WHERE value IS NOT NULL
  AND revision NOT IN (SELECT previous FROM revisions WHERE previous IS NOT NULL)`;

export interface DataFileSourceOptions {
  readonly prefix?: string;
  /** Whether it has no write-ahead log, and is for reading alone. */
  readonly isFinished?: boolean;
}

/**
 * Nobody else may have the file open: see `lockDataFile`. It is not changed, but for what is in its write-ahead log.
 * @throws StorageError
 */
export function openDataFileSource(path: string, { prefix = defaultKeyRoot, isFinished = false }: DataFileSourceOptions = {}): StateSource {
  let db: DatabaseSync | undefined;
  try {
    db = isFinished ? new DatabaseSync(path, { readOnly: true }) : openDatabase(path);
    requireFormat(db, path);
    const revision = newestOf(db);
    const entries = Number(db.prepare(`SELECT count(*) AS count ${live}`).get()?.count);
    const opened = db;
    return {
      ...{ revision, entries, prefix, pages: () => pagesOf(opened, path) },
      async [Symbol.asyncDispose]() {
        if (opened.isOpen) opened.close();
      },
    };
  } catch (error) {
    db?.close();
    throw asStorageError(path, error);
  }
}

export function asStorageError(path: string, error: unknown): unknown {
  if (error instanceof StorageError) return error;
  return error instanceof DamagedRow ? damaged(path, error.message) : storageError(path, failureOf(error));
}

/** Every revision since the compacted one has its row: one that is missing was a change. */
function newestOf(db: DatabaseSync): number {
  checkPages(db);
  const compacted = readMeta(db, "compacted");
  if (compacted === undefined) throw new DamagedRow("it does not say what was compacted");
  const { newest, changes } =
    db.prepare("SELECT max(revision) AS newest, count(*) AS changes FROM revisions WHERE revision > ?").get(compacted) ?? {};
  const revision = Number(newest ?? compacted);
  if (changes !== revision - compacted) throw new DamagedRow(`of the revisions after ${compacted} some are missing`);
  return revision;
}

async function* pagesOf(db: DatabaseSync, path: string): AsyncGenerator<readonly StateEntry[], void, undefined> {
  let page: StateEntry[] = [];
  let bytes = 0;
  try {
    const select = db.prepare(`SELECT revision, key, created, previous, at, checksum, note, value ${live} ORDER BY revision`);
    for (const found of select.iterate()) {
      const { key, created, revision: modified, at, value } = checkedRow(found);
      if (value === null) continue;
      page.push({ key, value, created, modified, at, ttlSeconds: undefined });
      bytes += value.byteLength;
      if (bytes < pageBytes && page.length < pageEntries) continue;
      yield page;
      page = [];
      bytes = 0;
    }
  } catch (error) {
    throw asStorageError(path, error);
  }
  if (page.length > 0) yield page;
}
