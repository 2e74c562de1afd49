import { Worker } from "node:worker_threads";
import { messageOf } from "@coxswain/machinery";
import type { Change } from "../engine/change-log.ts";
import { type Entry, OutcomeUnknownError, StorageError } from "../storage/store.ts";
import { storageError } from "./failures.ts";
import { type Answer, encodeBatch, type Request } from "./protocol.ts";

/** Revisions that are compacted along with a commit, at least: every write then does its share, and no fsync is spent on it. */
const compactedPerCommit = 512;
/** Revisions that are compacted in one transaction of their own; bounds how long a commit behind it waits. */
const compactedAtOnce = 2_048;

interface Pending {
  readonly resolve: (answer: Extract<Answer, { ok: true }>) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly pending: Pending[];
}

export interface JournalOptions {
  readonly path: string;
  readonly start: () => Worker;
  /** What the file says. */
  readonly compacted: number;
  /** The value of an entry as it is written. */
  readonly storedOf?: (entry: Entry) => Uint8Array;
}

/** The thread has ended before it has answered. */
class ThreadLost extends Error {}

function storageFailure(error: unknown): never {
  throw error instanceof ThreadLost ? new StorageError(error.message, { cause: error.cause }) : error;
}

/**
 * The store's end of the line to the writing thread, which is replaced when it ends: the file then shows what became of the
 * commit that was on its way.
 */
export class Journal {
  readonly #path: string;
  readonly #start: () => Worker;
  #thread: Thread | undefined;
  #compacted: number;
  readonly #storedOf: (entry: Entry) => Uint8Array;
  #closed = false;

  /** The thread opens the file only when the first request comes. */
  constructor({ path, start, compacted, storedOf = ({ value }) => value }: JournalOptions) {
    this.#path = path;
    this.#start = start;
    this.#compacted = compacted;
    this.#storedOf = storedOf;
    this.#thread = this.#startThread();
  }

  /**
   * Resolves when the changes are durable, all of them. `compacted` is how far the store's history has been given up.
   * @throws StorageError when none of them is, OutcomeUnknownError when only `newest` can decide that, later.
   */
  async commit(changes: readonly Change[], compacted: number): Promise<void> {
    const batch = encodeBatch(changes, this.#storedOf);
    const from = this.#compacted;
    const to = Math.min(compacted, from + Math.max(compactedPerCommit, 2 * changes.length));
    const compaction = to - from < compactedPerCommit / 2 ? undefined : { from, to };
    try {
      await this.#request({ kind: "commit", batch, compaction }, [batch.bytes.buffer]);
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      if (!(await this.#holds(batch.first))) throw new StorageError(`${error.message}: nothing was written`, { cause: error.cause });
    }
    this.#compacted = Math.max(this.#compacted, compaction?.to ?? 0);
  }

  /** The newest revision in the file. @throws StorageError when it cannot be read */
  async newest(): Promise<number> {
    return (await this.#request({ kind: "newest" }).catch(storageFailure)).newest ?? 0;
  }

  /** Deletes from the file what was superseded before a revision. @throws StorageError when the thread ends meanwhile */
  async compact(before: number): Promise<void> {
    while (this.#compacted < before) {
      const compaction = { from: this.#compacted, to: Math.min(before, this.#compacted + compactedAtOnce) };
      await this.#request({ kind: "compact", compaction }).catch(storageFailure);
      this.#compacted = Math.max(this.#compacted, compaction.to);
    }
  }

  async close(): Promise<void> {
    if (this.#thread === undefined) {
      this.#closed = true;
      return;
    }
    const { worker } = this.#thread;
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    await this.#request({ kind: "close" }).catch((error: unknown) => {
      if (!(error instanceof ThreadLost)) throw error;
    });
    this.#closed = true;
    worker.ref();
    await exited;
  }

  /** Whether the file has the revision. */
  async #holds(revision: number): Promise<boolean> {
    try {
      return (await this.newest()) >= revision;
    } catch (cause) {
      const why = messageOf(cause);
      throw new OutcomeUnknownError(`it is not known whether the write took effect: ${why}`, { cause });
    }
  }

  #request(request: Request, transfer: ArrayBuffer[] = []): Promise<Extract<Answer, { ok: true }>> {
    if (this.#closed) return Promise.reject(new StorageError("the store is closed"));
    this.#thread ??= this.#startThread();
    const { worker, pending } = this.#thread;
    return new Promise((resolve, reject) => {
      if (pending.push({ resolve, reject }) === 1) worker.ref();
      worker.postMessage(request, transfer);
    });
  }

  #startThread(): Thread {
    const worker = this.#start();
    const thread: Thread = { worker, pending: [] };
    let cause: unknown;
    worker.on("message", (answer: Answer) => this.#settle(thread, answer));
    worker.on("error", (error: unknown) => (cause = error));
    // Only then is the file closed, and another thread may open it.
    worker.on("exit", () => this.#lose(thread, cause));
    // Only a request keeps the process alive, not the thread that waits for one.
    worker.unref();
    return thread;
  }

  #settle({ worker, pending }: Thread, answer: Answer): void {
    const first = pending.shift();
    if (pending.length === 0) worker.unref();
    if (answer.ok) first?.resolve(answer);
    else first?.reject(storageError(this.#path, answer.failure));
  }

  #lose(thread: Thread, cause: unknown): void {
    if (this.#thread === thread) this.#thread = undefined;
    const lost = new ThreadLost(`the thread that writes ${this.#path} has ended`, { cause });
    for (const { reject } of thread.pending.splice(0)) reject(lost);
  }
}

/**
 * Starts the writing thread, which takes longer than to load a small file: begin with this.
 * @param overwritesDeleted whether nothing of what is deleted stays in the file
 */
export function startWorker(path: string, { overwritesDeleted = false } = {}): Worker {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  // Not the process's own flags: some (--input-type) a thread refuses. SQLite's warning, where there is one, is given once.
  const execArgv = ["--disable-warning=ExperimentalWarning"];
  return new Worker(new URL(`./worker.${extension}`, import.meta.url), { workerData: { path, overwritesDeleted }, execArgv });
}
