/**
 * One of several servers' view of a store that they share, as the one of etcd is: what was written shows some turns later, a write answers
 * once its own change shows, and `freshen` waits for all that was there before.
 */
import {
  FutureRevisionError,
  type KeyChange,
  type ListResult,
  type Revision,
  type Store,
  type StoreEvent,
  type WatchBatch,
  type Write,
  type WriteNote,
  type WriteResult,
} from "@coxswain/store";

export class ReplicaStore implements Store {
  readonly writeFailure = undefined;
  readonly #shared: Store;
  readonly #turns: () => number;
  readonly #subscribers = new Set<{ readonly prefix: string; readonly fn: (batch: WatchBatch) => void }>();
  readonly #waiters = new Set<{ readonly revision: Revision; readonly resolve: () => void }>();
  readonly #following: Disposable;
  #due: WatchBatch[] = [];
  #isAdvancing = false;
  #revision: Revision;

  /** @param turns how many turns of the event loop the next change takes */
  constructor(shared: Store, turns: () => number) {
    this.#shared = shared;
    this.#turns = turns;
    this.#revision = shared.revision;
    this.#following = shared.subscribe("", { after: shared.revision }, (batch) => {
      this.#due.push(batch);
      void this.#advance();
    });
  }

  get revision(): Revision {
    return this.#revision;
  }

  get compacted(): Revision {
    return this.#shared.compacted;
  }

  get(key: string, { at = this.#revision }: { at?: Revision } = {}) {
    this.#check(at);
    return this.#shared.get(key, { at });
  }

  async list(prefix: string, opts: { at?: Revision; after?: string; limit?: number } = {}): Promise<ListResult> {
    const { at = this.#revision } = opts;
    this.#check(at);
    return await this.#shared.list(prefix, { ...opts, at });
  }

  async freshen(): Promise<void> {
    await this.#reach(this.#shared.revision);
  }

  /** On its way for some turns, too. */
  async write(op: Write, note?: WriteNote): Promise<WriteResult> {
    await this.#wait();
    const result = await this.#shared.write(op, note);
    await this.#reach(result.revision);
    return result;
  }

  events(prefix: string, { after, limit }: { after: Revision; limit: number }): WatchBatch {
    const { events, revision } = this.#shared.events(prefix, { after, limit });
    const shown = events.filter((event) => revisionOf(event) <= this.#revision);
    return { events: shown, revision: shown.length < events.length ? this.#revision : (Math.min(revision, this.#revision) as Revision) };
  }

  async *watch(): AsyncGenerator<WatchBatch, void, undefined> {
    yield await Promise.reject(new Error("nobody watches a replica"));
  }

  subscribe(prefix: string, { after }: { after: Revision }, fn: (batch: WatchBatch) => void): Disposable {
    const missed = this.events(prefix, { after, limit: Number.POSITIVE_INFINITY });
    if (after < this.#revision) fn(missed);
    const subscriber = { prefix, fn };
    this.#subscribers.add(subscriber);
    return { [Symbol.dispose]: () => void this.#subscribers.delete(subscriber) };
  }

  async history(key: string, opts?: { after?: Revision; last?: number }): Promise<readonly KeyChange[]> {
    return (await this.#shared.history(key, opts)).filter(({ revision }) => revision <= this.#revision);
  }

  async compact(): Promise<void> {}

  /** The store itself goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#following[Symbol.dispose]();
  }

  #check(at: Revision): void {
    if (at > this.#revision) throw new FutureRevisionError(at, this.#revision);
  }

  async #advance(): Promise<void> {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    for (let batch = this.#due.shift(); batch !== undefined; batch = this.#due.shift()) {
      await this.#wait();
      this.#show(batch);
    }
    this.#isAdvancing = false;
  }

  #show({ revision, events }: WatchBatch): void {
    this.#revision = revision;
    for (const { prefix, fn } of this.#subscribers) {
      const own = events.filter((event) => keyOf(event).startsWith(prefix));
      if (own.length > 0) fn({ revision, events: own });
    }
    for (const waiter of this.#waiters)
      if (waiter.revision <= revision) {
        this.#waiters.delete(waiter);
        waiter.resolve();
      }
  }

  async #reach(revision: Revision): Promise<void> {
    if (revision <= this.#revision) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ revision, resolve });
    await promise;
  }

  async #wait(): Promise<void> {
    for (let turns = this.#turns(); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  }
}

const keyOf = (event: StoreEvent): string => (event.type === "put" ? event.entry.key : event.key);
const revisionOf = (event: StoreEvent): Revision => (event.type === "put" ? event.entry.modified : event.revision);
