/** One thread of components, from the side of the server: from its start until it has ended. */
import { MessageChannel, Worker } from "node:worker_threads";
import type { ApiServer, Log } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import type { ServedNames } from "@coxswain/pki/node";
import type { InProcessCallers, InProcessUser } from "../in-process/in-process-callers.ts";
import { servePort } from "../message-port/port-server.ts";
import { fieldsFromPort } from "./logged-fields.ts";
import type { Content, FromThread, ThreadCall, ThreadCalls, ThreadSettings, ToThread } from "./thread-protocol.ts";

export interface ThreadHost {
  readonly server: Pick<ApiServer, "handle">;
  readonly callers: InProcessCallers;
  /** Whom its components may be. */
  readonly isAllowed: (user: InProcessUser) => boolean;
  /** Sends the content `kubeletServing`, now and when it changes. */
  readonly serveKubelet: (node: string, names: ServedNames) => void;
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

export class RunningThread {
  readonly #worker: Worker;
  readonly #host: ThreadHost;
  readonly #served: Disposable;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #ended = Promise.withResolvers<void>();
  #last = 0;
  #isEnding = false;
  #failure: unknown;

  constructor(settings: Omit<ThreadSettings, "port">, host: ThreadHost) {
    const { port1, port2 } = new MessageChannel();
    this.#host = host;
    this.#served = servePort(host.server, port1, host);
    this.#worker = new Worker(script, {
      workerData: { ...settings, port: port2 } satisfies ThreadSettings,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb },
      // What Node warns of, it warns of once.
      execArgv: ["--disable-warning=ExperimentalWarning", ...process.execArgv.filter(isForThreads)],
    });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
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
  async call<M extends keyof ThreadCalls>(
    limitMs: number,
    method: M,
    ...args: Parameters<ThreadCalls[M]>
  ): Promise<ReturnType<ThreadCalls[M]>> {
    const id = ++this.#last;
    const result = Promise.withResolvers<unknown>();
    this.#calls.set(id, result);
    this.#send({ kind: "call", id, call: { method, args } as ThreadCall });
    const timer = this.#host.clock.schedule(limitMs, () => result.reject(new UnansweredError(limitMs)));
    try {
      return (await result.promise) as ReturnType<ThreadCalls[M]>;
    } finally {
      timer[Symbol.dispose]();
      this.#calls.delete(id);
    }
  }

  send(content: Content): void {
    this.#send({ kind: "content", ...content });
  }

  /** Its components have been stopped. What it still does after so many milliseconds is not waited for. */
  async end(limitMs: number): Promise<void> {
    this.#isEnding = true;
    this.#send({ kind: "end" });
    using _ = this.#host.clock.schedule(limitMs, () => void this.#worker.terminate());
    await this.#ended.promise.catch(() => undefined);
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case "answer":
        this.#calls.get(message.id)?.resolve(message.value);
        break;
      case "failed":
        this.#calls.get(message.id)?.reject(new Error(message.message));
        break;
      case "credentials":
        this.#host.serveKubelet(message.node, message.names);
        break;
      case "log":
        this.#host.log[message.level](fieldsFromPort(message.fields), message.message);
    }
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #end(code: number): void {
    this.#served[Symbol.dispose]();
    const error = this.#failure ?? new Error(`the thread has ended with ${code}`);
    for (const { reject } of this.#calls.values()) reject(error);
    if (this.#isEnding) this.#ended.resolve();
    else this.#ended.reject(error);
  }
}

const script = new URL(import.meta.url.endsWith(".ts") ? "../../bin/component-thread.mjs" : "./component-thread.js", import.meta.url);

/** Half of what V8 takes by itself: as fast, and it keeps what it has once had. */
const maxYoungGenerationSizeMb = 48;

/** Of the process's own flags those that show what its threads do; some of the others (--input-type) a thread refuses. */
const isForThreads = (flag: string): boolean => /^--(?:cpu-prof|heap-prof|enable-source-maps|trace-warnings)/.test(flag);
