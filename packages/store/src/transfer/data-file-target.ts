/** A data file that is there whole or not at all: it is written beside its place, read again, and then put there. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { checksum, prepareSchema } from "../sqlite/data-file.ts";
import { failureOf, storageError } from "../sqlite/failures.ts";
import { createPrivately } from "../sqlite/lock.ts";
import { defaultKeyRoot } from "../storage/key-root.ts";
import { asStorageError, openDataFileSource } from "./data-file-source.ts";
import { StateDigest, type StateEntry, type StateSource, type StateSummary, type StateTarget, type TargetReport } from "./state.ts";
import { checkSameState } from "./transfer-state.ts";

export interface DataFileTargetOptions {
  readonly path: string;
  /** Of the state that will be written. */
  readonly revision: number;
  /** Milliseconds since the epoch; for entries that do not say when they were written. */
  readonly now: number;
  readonly prefix?: string;
  /** Called with the whole file before it is put in its place. */
  readonly complete?: (db: DatabaseSync, summary: StateSummary) => void;
  /** Called right before the file is put in its place. */
  readonly replace?: () => void;
}

/** What is not finished yet has this behind its name. */
const partial = ".partial";

/**
 * Each entry keeps the revisions of its creation and of its last change. Where several have been changed in one revision, as etcd has
 * it, the file has room for one: the others get new ones behind the newest.
 * @throws StorageError
 */
export function createDataFileTarget(options: DataFileTargetOptions): StateTarget {
  const { path } = options;
  const beside = `${path}${partial}`;
  try {
    rmSync(beside, { force: true });
    createPrivately(beside);
    return new DataFileTarget(options, beside);
  } catch (error) {
    throw storageError(path, failureOf(error));
  }
}

class DataFileTarget implements StateTarget {
  readonly prefix: string;
  readonly #options: DataFileTargetOptions;
  readonly #beside: string;
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  #revision: number;

  constructor(options: DataFileTargetOptions, beside: string) {
    this.prefix = options.prefix ?? defaultKeyRoot;
    this.#options = options;
    this.#beside = beside;
    this.#revision = options.revision;
    this.#db = new DatabaseSync(beside);
    // It counts only once it is whole: until then nothing has to outlast a crash.
    this.#db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    this.#db.exec("PRAGMA cache_size = -65536");
    prepareSchema(this.#db, beside, options.revision);
    this.#insert = this.#db.prepare("INSERT OR IGNORE INTO revisions VALUES (?, ?, ?, NULL, ?, ?, NULL, ?)");
  }

  async write(entries: readonly StateEntry[]): Promise<void> {
    try {
      this.#db.exec("BEGIN");
      for (const entry of entries) if (!this.#add(entry, entry.modified)) this.#add(entry, ++this.#revision);
      this.#db.exec("COMMIT");
    } catch (error) {
      throw storageError(this.#beside, failureOf(error));
    }
  }

  async finish(written: StateSummary): Promise<TargetReport> {
    const { path, complete, replace, revision } = this.#options;
    const beside = this.#beside;
    try {
      this.#db.prepare("UPDATE meta SET value = ? WHERE name = 'compacted'").run(this.#revision);
      complete?.(this.#db, written);
      this.#db.close();
      await using found = openDataFileSource(beside, { isFinished: true });
      checkSameState(await summaryOf(found), written, beside);
      await found[Symbol.asyncDispose]();
      flush(beside);
      replace?.();
      renameSync(beside, path);
      flush(dirname(path));
    } catch (error) {
      throw asStorageError(path, error);
    }
    return { revision: this.#revision, renumbered: this.#revision - revision };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }

  #add({ key, value, created, at = this.#options.now }: StateEntry, revision: number): boolean {
    const row = { revision, key, created, previous: null, at, note: null, value };
    return this.#insert.run(revision, key, created, at, checksum(row), value).changes === 1;
  }
}

export async function summaryOf(source: StateSource): Promise<StateSummary> {
  const digest = new StateDigest();
  for await (const page of source.pages()) for (const entry of page) digest.add(entry);
  return digest.summary;
}

function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
