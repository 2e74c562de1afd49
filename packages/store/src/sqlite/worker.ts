/** The writing thread: the only one that touches the data file while a store is open. SQLite's calls block, here they may. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { checksum, openDatabase, type Row } from "./data-file.ts";
import { failureOf, full } from "./failures.ts";
import { type Answer, type Batch, type Compaction, decodeBatch, type Request } from "./protocol.ts";

/** The write-ahead log is copied into the file when it has about grown to this. */
const checkpointBytes = 4 * 1024 * 1024;
/** What a commit costs in the log beside its payload: the pages it fills in part. */
const bytesPerCommit = 12 * 1024;
/** Pages given back to the file system at once. */
const vacuumPages = 1_024;
/** So many free pages stay in the file, to be used again. */
const sparePages = 4_096;

if (parentPort !== null) serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  let file: DataFile | undefined;
  port.on("message", (request: Request) => {
    let answer: Answer = { ok: true };
    try {
      file ??= new DataFile(openDatabase(workerData.path));
      const newest = file.execute(request);
      if (newest !== undefined) answer = { ok: true, newest };
    } catch (error) {
      answer = { ok: false, failure: failureOf(error) };
    }
    port.postMessage(answer);
    if (request.kind === "close") port.close();
    else file?.maintain();
  });
}

class DataFile {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #dropSuperseded: StatementSync;
  readonly #dropDeletions: StatementSync;
  readonly #setCompacted: StatementSync;
  #logBytes = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    if (workerData.overwritesDeleted === true) db.exec("PRAGMA secure_delete = ON");
    db.exec("PRAGMA wal_autocheckpoint = 16384; PRAGMA journal_size_limit = 16777216");
    this.#insert = db.prepare("INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    this.#dropSuperseded = db.prepare(
      "DELETE FROM revisions WHERE revision IN (SELECT previous FROM revisions WHERE revision > ? AND revision <= ? AND previous IS NOT NULL)",
    );
    this.#dropDeletions = db.prepare("DELETE FROM revisions WHERE revision > ? AND revision <= ? AND value IS NULL");
    this.#setCompacted = db.prepare("UPDATE meta SET value = max(value, ?) WHERE name = 'compacted'");
  }

  execute(request: Request): number | undefined {
    switch (request.kind) {
      case "commit":
        this.#transact(() => this.#commit(request.batch, request.compaction));
        break;
      case "compact":
        this.#transact(() => this.#compact(request.compaction));
        break;
      case "newest": {
        const found = this.#db.prepare("SELECT max(revision) AS newest FROM revisions").get()?.newest;
        return typeof found === "number" ? found : 0;
      }
      case "close":
        this.#db.close();
    }
    return undefined;
  }

  /** What may take its time: only the next batch waits for it. */
  maintain(): void {
    if (this.#logBytes < checkpointBytes) return;
    try {
      const { free = 0 } = this.#db.prepare("SELECT freelist_count AS free FROM pragma_freelist_count").get() ?? {};
      if (typeof free === "number" && free > sparePages) this.#db.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
      this.#checkpoint();
    } catch {
      // The log still has everything. A full disk is reported by the next commit that finds no room in it.
    }
  }

  /** A full disk is tried once more with the log copied into the file, which makes its space free. */
  #transact(body: () => void): void {
    try {
      this.#attempt(body);
    } catch (error) {
      if (failureOf(error).code !== full) throw error;
      this.#checkpoint();
      this.#attempt(body);
    }
  }

  #attempt(body: () => void): void {
    try {
      this.#db.exec("BEGIN IMMEDIATE");
      body();
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #commit(batch: Batch, compaction: Compaction | undefined): void {
    for (const row of decodeBatch(batch)) this.#write(row);
    if (compaction !== undefined) this.#compact(compaction);
    this.#logBytes += batch.bytes.byteLength + bytesPerCommit;
  }

  #write(row: Row): void {
    this.#insert.run(row.revision, row.key, row.created, row.previous, row.at, checksum(row), row.note, row.value);
  }

  #compact({ from, to }: Compaction): void {
    this.#dropSuperseded.run(from, to);
    this.#dropDeletions.run(from, to);
    this.#setCompacted.run(to);
    this.#logBytes += bytesPerCommit + 512 * (to - from);
  }

  #checkpoint(): void {
    this.#db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    this.#logBytes = 0;
  }
}
