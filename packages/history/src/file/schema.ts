/** The file in which history is kept: SQLite, one row for each version, their bytes together in compressed chunks. */
import { closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** Goes up when an older program could not read the file correctly any more. */
export const historyFormat = 1;

/**
 * `versions.id` is the revision times 1024 and the place of the version among those of its revision, so that the order of ids is the order
 * of what happened. `depth`: 0 for a version that is kept whole, -1 for a deletion, else how many versions before it are needed; they are
 * the ones before it of its key. `chunk` is the id of the first version in it, 0 for a version that is kept in `carried` after its chunk
 * was dropped. `times` finds revisions by time. A key's `uid` and `owner` are those of the object that came to be there last: its own, and that of the
 * object that controls it.
 */
const schema = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, uid TEXT, owner TEXT) STRICT;
  CREATE TABLE writers (id INTEGER PRIMARY KEY, writer TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE versions (
    id       INTEGER PRIMARY KEY,
    key      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    writer   INTEGER,
    request  TEXT,
    read_at  TEXT,
    depth    INTEGER NOT NULL,
    sealed   INTEGER NOT NULL,
    chunk    INTEGER NOT NULL,
    position INTEGER NOT NULL,
    length   INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX versions_of_key ON versions (key, id);
  CREATE TABLE chunks (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
  CREATE TABLE carried (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE times (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
  CREATE INDEX times_by_time ON times (at, id);
  CREATE TABLE gaps (after INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT;
`;

const perRevision = 1_024;

/** The id of the n-th version of a revision. */
export function idOf(revision: number, n = 0): number {
  if (n >= perRevision) throw new RangeError(`more than ${perRevision} versions have revision ${revision}`);
  return revision * perRevision + n;
}

/** The revision that a version has. */
export const revisionOfId = (id: number): number => Math.floor(id / perRevision);

/** The file is none that this program can read. */
export class HistoryFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HistoryFileError";
  }
}

/** A history that ends with the process. */
export const inMemory = ":memory:";

/** Opens or makes the file, for this thread alone. @throws HistoryFileError */
export function openHistoryDatabase(path: string): DatabaseSync {
  if (path !== inMemory) createPrivately(path);
  // Loaded when there is a file: Node 22 warns of it, and who asks what a store in memory still has needs none.
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  const db = new Database(path);
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    const isNew = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (isNew) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
    // What a power cut takes of the last seconds is recorded again from the store.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192");
    if (isNew) db.exec(`BEGIN; ${schema} INSERT INTO meta VALUES ('format', ${historyFormat}); COMMIT`);
    requireFormat(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error instanceof HistoryFileError ? error : new HistoryFileError(`${path} cannot be read as a history`, { cause: error });
  }
}

/** Secrets are in it: nobody but its owner may read it, whoever may look into the directory. What SQLite keeps beside it, is as private. */
const createPrivately = (path: string): void => closeSync(openSync(path, "a", 0o600));

function requireFormat(db: DatabaseSync, path: string): void {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get();
  const format = table === undefined ? undefined : db.prepare("SELECT value FROM meta WHERE name = 'format'").get()?.value;
  if (typeof format !== "number") throw new HistoryFileError(`${path} is no history of coxswain`);
  if (format > historyFormat)
    throw new HistoryFileError(`${path} is of format ${format}, which a newer coxswain has written; this one reads ${historyFormat}`);
}
