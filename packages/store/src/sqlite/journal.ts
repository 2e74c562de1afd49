import { Worker } from "node:worker_threads";
import type { Change } from "../engine/change-log.ts";
import { StorageError } from "../store.ts";
import { storageError } from "./failures.ts";
import { type Answer, encodeBatch, type Request } from "./protocol.ts";

/** Revisions that are compacted along with a commit, at least: every write then does its share, and no fsync is spent on it. */
const compactedPerCommit = 512;
/** Revisions that are compacted in one transaction of their own; bounds how long a commit behind it waits. */
const compactedAtOnce = 2_048;

interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: StorageError) => void;
}

/** The store's end of the line to the writing thread. */
export class Journal {
  readonly #path: string;
  readonly #worker: Worker;
  readonly #pending: Pending[] = [];
  #compacted: number;
  #broken: StorageError | undefined;

  /** `compacted` is what the file says. The thread opens the file only when the first request comes. */
  constructor(path: string, worker: Worker, compacted: number) {
    this.#path = path;
    this.#worker = worker;
    this.#compacted = compacted;
    worker.on("message", (answer: Answer) => this.#settle(answer));
    worker.on("error", (error: unknown) => this.#break(error));
    worker.on("exit", () => this.#break(undefined));
    // Only a request keeps the process alive, not the thread that waits for one.
    worker.unref();
  }

  /**
   * Resolves when the changes are durable, all of them. `compacted` is how far the store's history has been given up.
   * @throws StorageError when none of them is.
   */
  async commit(changes: readonly Change[], compacted: number): Promise<void> {
    const batch = encodeBatch(changes);
    const from = this.#compacted;
    const to = Math.min(compacted, from + Math.max(compactedPerCommit, 2 * changes.length));
    const compaction = to - from < compactedPerCommit / 2 ? undefined : { from, to };
    await this.#request({ kind: "commit", batch, compaction }, [batch.bytes.buffer]);
    this.#compacted = Math.max(this.#compacted, compaction?.to ?? 0);
  }

  /** Deletes from the file what was superseded before a revision. */
  async compact(before: number): Promise<void> {
    while (this.#compacted < before) {
      const compaction = { from: this.#compacted, to: Math.min(before, this.#compacted + compactedAtOnce) };
      await this.#request({ kind: "compact", compaction });
      this.#compacted = Math.max(this.#compacted, compaction.to);
    }
  }

  async close(): Promise<void> {
    if (this.#broken !== undefined) return;
    const exited = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    await this.#request({ kind: "close" });
    this.#worker.ref();
    await exited;
  }

  #request(request: Request, transfer: ArrayBuffer[] = []): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      if (this.#pending.push({ resolve, reject }) === 1) this.#worker.ref();
      this.#worker.postMessage(request, transfer);
    });
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.shift();
    if (this.#pending.length === 0) this.#worker.unref();
    if (answer.ok) pending?.resolve();
    else pending?.reject(storageError(this.#path, answer.failure));
  }

  #break(cause: unknown): void {
    this.#broken ??= new StorageError(`the thread that writes ${this.#path} has ended: restart coxswain`, { cause });
    for (const { reject } of this.#pending.splice(0)) reject(this.#broken);
  }
}

/** Starts the writing thread, which takes longer than to load a small file: begin with this. */
export function startWorker(path: string): Worker {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  // Not the process's own flags: some (--input-type) a thread refuses. SQLite's warning, where there is one, is given once.
  const execArgv = ["--disable-warning=ExperimentalWarning"];
  return new Worker(new URL(`./worker.${extension}`, import.meta.url), { workerData: { path }, execArgv });
}
