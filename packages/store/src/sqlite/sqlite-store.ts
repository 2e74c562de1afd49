import { ChangeLog, defaultWindow, type WriteOrigin } from "../engine/change-log.ts";
import { firstRevision } from "../engine/history-store.ts";
import { StoredValues } from "../engine/stored-values.ts";
import { type TransformedOptions, TransformedStore } from "../engine/transformed-store.ts";
import {
  OutcomeUnknownError,
  type Revision,
  StorageError,
  type Store,
  type Write,
  type WriteNote,
  type WriteResult,
} from "../storage/store.ts";
import { type Batch, decideBatch, type Waiting } from "./batch.ts";
import { Journal, startWorker } from "./journal.ts";
import { loadDataFile } from "./load.ts";
import { lockDataFile } from "./lock.ts";

/** Where a SQLite store keeps its file, and how much history. */
export interface SqliteOptions extends TransformedOptions {
  /** The data file; made when it is not there, in a directory that is. */
  readonly path: string;
}

interface Parts {
  readonly log: ChangeLog;
  readonly lock: Disposable;
  readonly journal: Journal;
  readonly values: StoredValues;
}

/**
 * A store in one file. A write is acknowledged, and visible, only when it is on disk; the history survives too.
 * @throws StorageError when the file is in use, damaged, or of a newer format.
 */
export async function openSqliteStore(options: SqliteOptions, startThread: typeof startWorker = startWorker): Promise<Store> {
  const { path, clock: _, transformer, ...window } = options;
  const lock = lockDataFile(path);
  // Values of before may have been stored as they were.
  const start = () => startThread(path, { overwritesDeleted: transformer !== undefined });
  const worker = start();
  try {
    const log = new ChangeLog({ ...defaultWindow, ...window }, firstRevision);
    const values = new StoredValues(transformer);
    loadDataFile(path, log, values);
    await values.retry();
    const workers = [worker];
    const journal = new Journal({ path, start: () => workers.pop() ?? start(), compacted: log.compacted, storedOf: values.storedOf });
    return new SqliteStore(options, { log, lock, journal, values });
  } catch (error) {
    lock[Symbol.dispose]();
    await worker.terminate();
    throw error;
  }
}

/** How long a commit may take before the store counts as unable to write. */
const slowCommitMs = 10_000;
/** Between two looks at a data file that could not be read. */
const retryMs = 1_000;

/**
 * Group commit: one batch is on its way to the disk, and what is written meanwhile queues. When it is durable the whole
 * queue is decided, in order, and sent as the next batch: so every decision is made on what is durable, and the disk is
 * waited for once per batch.
 */
class SqliteStore extends TransformedStore {
  readonly #journal: Journal;
  readonly #lock: Disposable;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** Since when a batch has been on its way; monotonic milliseconds. */
  #committingSince: number | undefined;
  /** A batch whose durability is not known yet. Until that is known nothing can be decided. */
  #unconfirmed: { readonly batch: Batch; error: Error } | undefined;

  constructor(options: SqliteOptions, { log, lock, journal, values }: Parts) {
    super(options, log, values);
    this.#lock = lock;
    this.#journal = journal;
    this.log.trim(this.clock.now());
  }

  get writeFailure(): Error | undefined {
    if (this.#unconfirmed !== undefined) return this.#unconfirmed.error;
    const since = this.#committingSince;
    if (since === undefined || this.clock.monotonic() - since < slowCommitMs) return undefined;
    return new StorageError("the disk takes very long to write");
  }

  write(op: Write, note?: WriteNote, origin?: WriteOrigin): Promise<WriteResult> {
    if (this.#isClosed) return Promise.reject(new StorageError("the store is closed"));
    try {
      this.checkWrite(op);
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ op, note, origin, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async compact(before: Revision): Promise<void> {
    this.forget(before);
    // What is retained stays in the file, too.
    await this.#journal.compact(Math.min(before, this.compacted) as Revision);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.#running;
      await super[Symbol.asyncDispose]();
      await this.#journal.close();
    } finally {
      this.#lock[Symbol.dispose]();
    }
  }

  /** While writes come without a pause, compaction goes along with them; this is for when they stop. */
  protected override maintain(): void {
    super.maintain();
    if (this.#isClosed || this.#running !== undefined) return;
    // A failure is met again, and reported, by the next write.
    this.#journal.compact(this.compacted).catch(() => {});
  }

  async #run(): Promise<void> {
    // Whatever else is written in this turn joins the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#confirmBatch();
    while (this.#queue.length > 0) {
      if (this.#unconfirmed !== undefined) {
        for (const { reject } of this.#queue.splice(0))
          reject(new StorageError(`nothing can be written: ${this.#unconfirmed.error.message}`));
        break;
      }
      const batch = decideBatch(this.#queue, this.log.tree, this.revision, this.clock.now());
      this.#queue = this.#queue.slice(batch.taken);
      if (batch.changes.length > 0) await this.#commit(batch);
    }
    this.#running = undefined;
  }

  async #commit(batch: Batch): Promise<void> {
    const { changes, answers } = batch;
    this.#committingSince = this.clock.monotonic();
    try {
      if (this.transforms) this.values.seal(changes);
      await this.#journal.commit(changes, this.compacted);
    } catch (error) {
      if (error instanceof OutcomeUnknownError) this.#markUnconfirmed(batch, error);
      for (const { to } of answers) to.reject(error);
      return;
    } finally {
      this.#committingSince = undefined;
    }
    this.apply(changes);
    for (const { to, result } of answers) to.resolve(result);
  }

  /** Retries until the file can be read, whether or not there are writes. */
  #markUnconfirmed(batch: Batch, error: Error): void {
    this.#unconfirmed = { batch, error };
    const retry = (): void => {
      const timer = this.clock.schedule(retryMs, () => {
        if (this.#isClosed || this.#unconfirmed === undefined) return;
        this.#running ??= this.#run();
        void this.#running.then(retry);
      });
      timer.unref();
    };
    retry();
  }

  async #confirmBatch(): Promise<void> {
    if (this.#unconfirmed === undefined) return;
    const { changes } = this.#unconfirmed.batch;
    try {
      const newest = await this.#journal.newest();
      this.#unconfirmed = undefined;
      if (newest >= (changes[0]?.revision ?? 0)) this.apply(changes);
    } catch (error) {
      if (this.#unconfirmed !== undefined && error instanceof Error) this.#unconfirmed.error = error;
    }
  }
}
