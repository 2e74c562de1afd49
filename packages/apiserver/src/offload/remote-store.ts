/** The store as the other thread sees it: every question goes to the thread that has it. */
import type { KeyChange, ListResult, Replacement, Revision, Store, WatchBatch, Write, WriteNote, WriteResult } from "@coxswain/store";
import { labelsAlone } from "../storage/stored-object.ts";
import { type Calls, ownBytes } from "./protocol.ts";

export interface Line {
  call<M extends keyof Calls>(method: M, ...args: Parameters<Calls[M]>): ReturnType<Calls[M]>;
  subscribe(prefix: string, after: Revision, fn: (batch: WatchBatch) => void): Disposable;
}

const pageLimit = 32;

export class RemoteStore implements Store {
  /** As of the newest request that came, which may not ask about anything newer. */
  revision = 0 as Revision;
  compacted = 0 as Revision;
  /** The server that hands over requests knows better. */
  readonly writeFailure = undefined;
  /** The store behind it pays heed to `ttlSeconds` where it can. */
  readonly expires = true;
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  get(key: string, opts: { at?: Revision } = {}) {
    return this.#line.call("get", key, opts);
  }

  /** In pages, between which the other thread does something else. */
  async list(prefix: string, opts: { at?: Revision; after?: string; limit?: number } = {}): Promise<ListResult> {
    if (opts.limit !== undefined) return this.#line.call("list", prefix, opts);
    const first = await this.#line.call("list", prefix, { ...opts, limit: pageLimit });
    const entries = [...first.entries];
    for (let { remaining } = first; remaining > 0; ) {
      const after = entries.at(-1)?.key ?? prefix;
      const page = await this.#line.call("list", prefix, { at: first.revision, after, limit: pageLimit });
      entries.push(...page.entries);
      remaining = page.remaining;
    }
    return { revision: first.revision, entries, remaining: 0 };
  }

  /** What the writer derived from the value stays with it, but for labels: selectors ask for those. */
  async write(op: Write, note?: WriteNote): Promise<WriteResult> {
    const sent: Write = { ...(op.op === "put" ? sendable(op) : op), ...(op.also === undefined ? {} : { also: op.also.map(sendableToo) }) };
    const written = await this.#line.call("write", sent, note);
    if (!written.ok) return written;
    const { revision, entry } = written;
    if (op.op === "delete" || entry === undefined) return { ok: true, revision, entry: undefined };
    return { ok: true, revision, entry: { ...entry, key: op.key, value: op.value, derived: op.derived } };
  }

  history(key: string, opts: { after?: Revision } = {}): Promise<readonly KeyChange[]> {
    return this.#line.call("history", key, opts);
  }

  isStale(key: string): Promise<boolean> {
    return this.#line.call("isStale", key);
  }

  compact(before: Revision): Promise<void> {
    return this.#line.call("compact", before);
  }

  events(): WatchBatch {
    throw new Error("history is read by the thread that has the store");
  }

  /** What has happened since `after` comes later than this returns, but before any request that is sent from now on. */
  subscribe(prefix: string, { after }: { after: Revision }, fn: (batch: WatchBatch) => void): Disposable {
    return this.#line.subscribe(prefix, after, fn);
  }

  async *watch(prefix: string, { after, signal }: { after: Revision; signal: AbortSignal }): AsyncGenerator<WatchBatch, void, undefined> {
    let batches: WatchBatch[] = [];
    let wake = (): void => undefined;
    const rouse = (): void => wake();
    using _ = this.subscribe(prefix, { after }, (batch) => {
      batches.push(batch);
      wake();
    });
    signal.addEventListener("abort", rouse);
    try {
      while (!signal.aborted) {
        const due = batches;
        batches = [];
        yield* due;
        if (batches.length === 0 && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", rouse);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const sendableToo = (one: Replacement): Replacement => (one.value === undefined ? one : sendable(one));

const sendable = <P extends { readonly value: Uint8Array; readonly derived?: unknown }>(put: P): P => ({
  ...put,
  value: ownBytes(put.value),
  derived: labelsAlone(put.derived),
});
