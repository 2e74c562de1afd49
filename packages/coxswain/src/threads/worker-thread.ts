/** A thread from the side that has started it: its log, what it is asked, and its end. */
import { type Transferable, Worker } from "node:worker_threads";
import type { Log } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import { fieldsFromPort, type LoggedField } from "./logged-fields.ts";

/** What a thread may be asked. */
export type AnyCalls<C> = { readonly [M in keyof C]: (...args: never[]) => unknown };

export type CallOf<C extends AnyCalls<C>> = { [M in keyof C]: { readonly method: M; readonly args: Parameters<C[M]> } }[keyof C];

/** What every thread says. */
export type FromAnyThread =
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  | { readonly kind: "log"; readonly level: keyof Log; readonly fields: Readonly<Record<string, LoggedField>>; readonly message: string };

export interface WorkerThreadOptions<Own> {
  /** What it runs. */
  readonly script: URL;
  readonly data: unknown;
  /** Of the data, what changes hands. */
  readonly transfer: readonly Transferable[];
  /** What else it says. */
  readonly receive: (message: Own) => void;
  /** Called before calls fail. */
  readonly onEnd: () => void;
  /** It ends when it needs more. Default: as much as V8 takes. */
  readonly maxOldGenerationSizeMb?: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The thread is busy with something that does not end, or takes very long. */
export class UnansweredError extends Error {
  constructor(limitMs: number) {
    super(`the thread has not answered within ${limitMs} ms`);
    this.name = "UnansweredError";
  }
}

export class WorkerThread<C extends AnyCalls<C>, Own extends { readonly kind: string }> {
  readonly #options: WorkerThreadOptions<Own>;
  readonly #worker: Worker;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #ended = Promise.withResolvers<void>();
  #last = 0;
  #isEnding = false;
  #failure: unknown;

  constructor(options: WorkerThreadOptions<Own>) {
    this.#options = options;
    const { maxOldGenerationSizeMb } = options;
    this.#worker = new Worker(options.script, {
      workerData: options.data,
      transferList: [...options.transfer],
      resourceLimits: { maxYoungGenerationSizeMb, ...(maxOldGenerationSizeMb === undefined ? {} : { maxOldGenerationSizeMb }) },
      // What Node warns of, it warns of once.
      execArgv: ["--disable-warning=ExperimentalWarning", ...process.execArgv.filter(isForThreads)],
    });
    this.#worker.on("message", (message: FromAnyThread | Own) => this.#receive(message));
    this.#worker.on("error", (error) => {
      this.#failure = error;
    });
    this.#worker.on("exit", (code) => this.#end(code));
    this.#ended.promise.catch(() => undefined);
  }

  /** Resolves when it has ended as it was asked to, and rejects when it has ended otherwise. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** @throws UnansweredError after so many milliseconds, and the error with which the thread ends before it answers */
  async call<M extends keyof C>(limitMs: number, method: M, ...args: Parameters<C[M]>): Promise<ReturnType<C[M]>> {
    const id = ++this.#last;
    const result = Promise.withResolvers<unknown>();
    this.#calls.set(id, result);
    this.post({ kind: "call", id, call: { method, args } });
    const timer = this.#options.clock.schedule(limitMs, () => result.reject(new UnansweredError(limitMs)));
    try {
      return (await result.promise) as ReturnType<C[M]>;
    } finally {
      timer[Symbol.dispose]();
      this.#calls.delete(id);
    }
  }

  post(message: object): void {
    this.#worker.postMessage(message);
  }

  /** What it does has been stopped. What it still does after so many milliseconds is not waited for. */
  async end(limitMs: number): Promise<void> {
    this.#isEnding = true;
    this.post({ kind: "end" });
    using _ = this.#options.clock.schedule(limitMs, () => void this.#worker.terminate());
    await this.#ended.promise.catch(() => undefined);
  }

  /** Ends it, whatever it does, as if it had failed by itself. */
  fail(error: Error): void {
    this.#failure = error;
    void this.#worker.terminate();
  }

  #receive(message: FromAnyThread | Own): void {
    if (isFromAny(message)) this.#receiveAny(message);
    else this.#options.receive(message);
  }

  #receiveAny(message: FromAnyThread): void {
    switch (message.kind) {
      case "answer":
        this.#calls.get(message.id)?.resolve(message.value);
        break;
      case "failed":
        this.#calls.get(message.id)?.reject(new Error(message.message));
        break;
      case "log":
        this.#options.log[message.level](fieldsFromPort(message.fields), message.message);
    }
  }

  #end(code: number): void {
    this.#options.onEnd();
    const error = this.#failure ?? new Error(`the thread has ended with ${code}`);
    for (const { reject } of this.#calls.values()) reject(error);
    if (this.#isEnding) this.#ended.resolve();
    else this.#ended.reject(error);
  }
}

const isFromAny = (message: { readonly kind: string }): message is FromAnyThread =>
  message.kind === "answer" || message.kind === "failed" || message.kind === "log";

/** Half of what V8 takes by itself: as fast, and it keeps what it has once had. */
const maxYoungGenerationSizeMb = 48;

/** Of the process's own flags those that show what its threads do; some of the others (--input-type) a thread refuses. */
const isForThreads = (flag: string): boolean => /^--(?:cpu-prof|heap-prof|enable-source-maps|trace-warnings)/.test(flag);
