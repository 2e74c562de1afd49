import { type HistoryOptions, HistoryStore } from "../engine/history-store.ts";
import { type Revision, StorageError, type Store, type Write, type WriteNote, type WriteResult } from "../store.ts";
import { type Batch, decideBatch, type Waiting } from "./batch.ts";
import { Journal, startWorker } from "./journal.ts";
import { loadDataFile } from "./load.ts";
import { lockDataFile } from "./lock.ts";

export interface SqliteOptions extends HistoryOptions {
  /** The data file; made when it is not there, in a directory that is. */
  readonly path: string;
}

/**
 * A store in one file. A write is acknowledged, and seen by anybody, only when it is on disk; the history survives too.
 * @throws StorageError when the file is in use, damaged, or of a newer format.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const lock = lockDataFile(options.path);
  const worker = startWorker(options.path);
  try {
    return new SqliteStore(options, lock, (compacted) => new Journal(options.path, worker, compacted));
  } catch (error) {
    lock[Symbol.dispose]();
    await worker.terminate();
    throw error;
  }
}

/**
 * Group commit: one batch is on its way to the disk, and what is written meanwhile queues. When it is durable the whole
 * queue is decided, in order, and sent as the next batch: so every decision is made on what is durable, and the disk is
 * waited for once per batch.
 */
class SqliteStore extends HistoryStore {
  readonly #journal: Journal;
  readonly #lock: Disposable;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SqliteOptions, lock: Disposable, openJournal: (compacted: number) => Journal) {
    super(options);
    loadDataFile(options.path, this.log);
    this.#lock = lock;
    this.#journal = openJournal(this.compacted);
    this.log.trim(this.clock.now());
  }

  write(op: Write, note?: WriteNote): Promise<WriteResult> {
    if (this.#isClosed) return Promise.reject(new StorageError("the store is closed"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ op, note, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async compact(before: Revision): Promise<void> {
    this.log.compact(before);
    await this.#journal.compact(before);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#running;
    await super[Symbol.asyncDispose]();
    await this.#journal.close();
    this.#lock[Symbol.dispose]();
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
    while (this.#queue.length > 0) {
      const batch = decideBatch(this.#queue, this.log.tree, this.revision, this.clock.now());
      this.#queue = this.#queue.slice(batch.taken);
      await this.#commit(batch);
    }
    this.#running = undefined;
  }

  async #commit({ changes, answers }: Batch): Promise<void> {
    if (changes.length === 0) return;
    try {
      await this.#journal.commit(changes, this.compacted);
    } catch (error) {
      for (const { to } of answers) to.reject(error);
      return;
    }
    this.apply(changes);
    for (const { to, result } of answers) to.resolve(result);
  }
}
