/** The other end of the thread that has the file. */
import { Worker } from "node:worker_threads";
import { HistoryUnknownError } from "../contracts/history-reader.ts";
import { HistoryFileError } from "../file/schema.ts";
import type { Answer, Calls, Method } from "./protocol.ts";

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What the thread makes is short-lived: more would be memory alone. */
const maxYoungGenerationSizeMb = 8;

/** The thread is started when the first question comes, and again when it has ended. */
export class HistoryThread implements AsyncDisposable {
  readonly #path: string;
  readonly #pending: Pending[] = [];
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws HistoryUnknownError, HistoryFileError */
  call<M extends Method>(method: M, ...args: Parameters<Calls[M]>): Promise<ReturnType<Calls[M]>> {
    return this.#send(method, args, []);
  }

  /** As `call`; the buffers change hands. */
  transfer<M extends Method>(method: M, args: Parameters<Calls[M]>, buffers: readonly ArrayBuffer[]): Promise<ReturnType<Calls[M]>> {
    return this.#send(method, args, buffers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    if (this.#isClosed || worker === undefined) {
      this.#isClosed = true;
      return;
    }
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    // One that has ended has closed the file.
    await this.call("close").catch(() => undefined);
    this.#isClosed = true;
    worker.ref();
    await exited;
  }

  #send<M extends Method>(method: M, args: Parameters<Calls[M]>, buffers: readonly ArrayBuffer[]): Promise<ReturnType<Calls[M]>> {
    if (this.#isClosed) return Promise.reject(new HistoryFileError("the history is closed"));
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise<unknown>((resolve, reject) => {
      if (this.#pending.push({ resolve, reject }) === 1) worker.ref();
      worker.postMessage({ method, args }, [...buffers]);
    }) as Promise<ReturnType<Calls[M]>>;
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const execArgv = ["--disable-warning=ExperimentalWarning"];
    const worker = new Worker(new URL(`./history-worker.${extension}`, import.meta.url), {
      workerData: { path: this.#path },
      execArgv,
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    let cause: unknown;
    worker.on("message", (answer: Answer) => this.#settle(worker, answer));
    worker.on("error", (error: unknown) => (cause = error));
    worker.on("exit", () => this.#lose(cause));
    // Only a request keeps the process alive.
    worker.unref();
    return worker;
  }

  #settle(worker: Worker, answer: Answer): void {
    const first = this.#pending.shift();
    if (this.#pending.length === 0) worker.unref();
    if (answer.ok) first?.resolve(answer.value);
    else first?.reject(answer.isUnknown ? new HistoryUnknownError(answer.message) : new HistoryFileError(answer.message));
  }

  #lose(cause: unknown): void {
    this.#worker = undefined;
    const lost = new HistoryFileError(cause instanceof Error ? cause.message : "the thread that keeps history has ended", { cause });
    for (const { reject } of this.#pending.splice(0)) reject(lost);
  }
}
