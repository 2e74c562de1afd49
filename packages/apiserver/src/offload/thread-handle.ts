/** One thread for heavy requests, from the side of the server: it gives work, and answers what the thread asks meanwhile. */
import { Worker } from "node:worker_threads";
import { internalError } from "@coxswain/machinery";
import type { Entry, Revision, Store, Write, WriteNote } from "@coxswain/store";
import type { Authentication, Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { Log } from "../contracts/log.ts";
import type { WebhookEvent } from "../metrics/admission-webhooks.ts";
import type { RuleSource } from "../rbac/user-rules.ts";
import type { OffloadWorker } from "./offloader.ts";
import {
  type Call,
  type FromThread,
  failureOf,
  type OffloadJob,
  type OffloadThreadOptions,
  type Outcome,
  plainEvent,
  plainIfAny,
  type Served,
  type ToThread,
  type Written,
} from "./protocol.ts";

/** What the thread may ask of the server. */
export interface OffloadHost {
  readonly store: Store;
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly ruleSources: () => readonly RuleSource[] | Promise<readonly RuleSource[]>;
  readonly log: Log;
  readonly metrics: { countWebhook(event: WebhookEvent): void };
  readonly onOutdated: (definition: string, before: number) => void;
}

/** Of objects in the thread's memory: it ends when it needs more, and its pending requests fail. */
const maxMegabytes = 1_536;

export class OffloadThreadHandle implements OffloadWorker {
  readonly #worker: Worker;
  readonly #host: OffloadHost;
  readonly #ready = Promise.withResolvers<void>();
  readonly #jobs = new Map<number, PromiseWithResolvers<Served>>();
  readonly #subscriptions = new Map<number, Disposable>();
  #ended: Error | undefined;
  #last = 0;

  /** @param script what the thread runs */
  constructor(script: URL, host: OffloadHost, setting: OffloadThreadOptions) {
    this.#worker = new Worker(script, {
      workerData: setting,
      // Not the process's own flags: some (--input-type) a thread refuses.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    });
    this.#host = host;
    this.#ready.promise.catch(() => undefined);
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => {
      host.log.error({ error }, "the thread for heavy requests failed");
      this.end(internalError("the request could not be completed"));
    });
    this.#worker.on("exit", () => this.end(internalError("the request could not be completed")));
    this.#worker.unref();
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  async serve(job: OffloadJob): Promise<Served> {
    await this.#ready.promise;
    if (this.#ended !== undefined) throw this.#ended;
    const id = ++this.#last;
    const result = Promise.withResolvers<Served>();
    this.#jobs.set(id, result);
    const { revision, compacted } = this.#host.store;
    this.#say({ kind: "serve", id, job, revision, compacted }, [job.body.buffer]);
    return result.promise;
  }

  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#ready.reject(reason);
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]();
    for (const job of this.#jobs.values()) job.reject(reason);
    this.#jobs.clear();
    void this.#worker.terminate();
  }

  [Symbol.dispose](): void {
    this.end(internalError("the server is closing"));
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case "ready":
        this.#ready.resolve();
        break;
      case "served":
        this.#jobs.get(message.id)?.resolve(message);
        this.#jobs.delete(message.id);
        break;
      case "call":
        void this.#answer(message.id, message.call);
        break;
      case "subscribe":
        this.#subscribe(message.id, message.prefix, message.after);
        break;
      case "unsubscribe":
        this.#subscriptions.get(message.id)?.[Symbol.dispose]();
        this.#subscriptions.delete(message.id);
        break;
      case "outdated":
        this.#host.onOutdated(message.definition, message.before);
        break;
      case "webhook":
        this.#host.metrics.countWebhook(message.event);
        break;
      case "log":
        this.#host.log[message.level](message.fields, message.message);
    }
  }

  async #answer(id: number, call: Call): Promise<void> {
    let outcome: Outcome<unknown>;
    const buffers: ArrayBuffer[] = [];
    try {
      const value = await answerOf(call, this.#host, (entry) => {
        const plain = plainIfAny(entry);
        if (plain !== undefined) buffers.push(plain.value.buffer);
        return plain;
      });
      outcome = { ok: true, value };
    } catch (error) {
      outcome = { ok: false, failure: failureOf(error) };
    }
    if (this.#ended === undefined) this.#say({ kind: "answer", id, outcome }, outcome.ok ? buffers : []);
  }

  #subscribe(id: number, prefix: string, after: Revision): void {
    try {
      const subscription = this.#host.store.subscribe(prefix, { after }, ({ revision, events }) =>
        this.#say({ kind: "batch", id, batch: { revision, events: events.map(plainEvent) } }),
      );
      this.#subscriptions.set(id, subscription);
    } catch (error) {
      this.end(error instanceof Error ? error : internalError(String(error)));
    }
  }

  #say(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}

type Hand = (entry: Entry | undefined) => Entry | undefined;

/** As much of it as goes to another thread. */
function withoutFunctions(answer: Authentication): Authentication {
  if (answer.kind !== "authenticated") return answer;
  const { again: _, ...known } = answer;
  return known;
}

/** @param hand makes an entry that changes hands */
async function answerOf(call: Call, { store, authorize, ruleSources, authenticate }: OffloadHost, hand: Hand): Promise<unknown> {
  switch (call.method) {
    case "get": {
      const { revision, entry } = await store.get(...call.args);
      return { revision, entry: hand(entry) };
    }
    case "list": {
      const { entries, ...rest } = await store.list(...call.args);
      return { ...rest, entries: entries.map(hand) };
    }
    case "write":
      return written(store, hand, ...call.args);
    case "history":
      return (await store.history(...call.args)).map((change) => ({ ...change, entry: hand(change.entry) }));
    case "compact":
      return store.compact(...call.args);
    case "isStale":
      return store.isStale?.(...call.args) ?? false;
    case "authorize":
      return authorize(...call.args);
    case "ruleSources":
      return ruleSources();
    case "authenticate":
      return withoutFunctions(await authenticate(...call.args));
  }
}

async function written(store: Store, hand: Hand, op: Write, note: WriteNote | undefined): Promise<Written> {
  const result = await store.write(
    op.op === "put" ? { ...op, value: Buffer.from(op.value.buffer, op.value.byteOffset, op.value.byteLength) } : op,
    note,
  );
  if (!result.ok) return { ...result, actual: hand(result.actual) };
  const { revision, entry } = result;
  return { ok: true, revision, entry: entry === undefined ? undefined : { created: entry.created, modified: entry.modified } };
}
