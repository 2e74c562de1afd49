/**
 * A store that shares its revisions with others, as it looks when its own are counted alone: an empty store is at revision 1, each write
 * takes the next, and keys stand without the `/registry` that all of them begin with. So it can be compared with a model.
 */
import {
  CompactedError,
  type Compare,
  type Entry,
  FutureRevisionError,
  type Replacement,
  type Revision,
  type Store,
  type StoreEvent,
  type WatchBatch,
  type Write,
  type WriteResult,
} from "../storage/store.ts";

const root = "/registry";

export class RenumberedStore implements Store {
  readonly #store: Store;
  /** The store's own revisions, by the number that they have here less one. */
  readonly #own: Revision[];
  readonly #entries = new WeakMap<Entry, Entry>();
  readonly #counting: Disposable;

  constructor(store: Store) {
    this.#store = store;
    this.#own = [store.revision];
    this.#counting = store.subscribe(`${root}/`, { after: store.revision }, ({ events }) => {
      for (const event of events) this.#count(event);
    });
  }

  get revision(): Revision {
    return this.#numberOf(this.#store.revision);
  }

  get compacted(): Revision {
    return this.#numberOf(this.#store.compacted);
  }

  get writeFailure(): Error | undefined {
    return this.#store.writeFailure;
  }

  async get(key: string, { at }: { at?: Revision } = {}) {
    const { revision, entry } = await this.#translated(at, () => this.#store.get(root + key, this.#at(at)));
    return { revision: this.#numberOf(revision), entry: this.#entry(entry) };
  }

  async list(prefix: string, { at, after, limit }: { at?: Revision; after?: string; limit?: number } = {}) {
    const opts = { ...this.#at(at), ...(after === undefined ? {} : { after: root + after }), ...(limit === undefined ? {} : { limit }) };
    const { revision, entries, remaining } = await this.#translated(at, () => this.#store.list(root + prefix, opts));
    return { revision: this.#numberOf(revision), entries: entries.map((entry) => this.#entry(entry) as Entry), remaining };
  }

  async write(op: Write, note?: Parameters<Store["write"]>[1]): Promise<WriteResult> {
    const result = await this.#store.write(this.#write(op), note);
    const revision = this.#numberOf(result.revision);
    if (result.ok) return { ...result, revision, entry: this.#entry(result.entry) };
    const { failed, actual } = result;
    const modified: Compare["modified"] =
      failed?.modified === undefined || failed.modified === "absent" ? "absent" : this.#numberOf(failed.modified);
    const other = failed && { key: failed.key.slice(root.length), modified };
    return { ok: false, revision, actual: this.#entry(actual), ...(other === undefined ? {} : { failed: other }) };
  }

  events(prefix: string, { after, limit }: { after: Revision; limit: number }): WatchBatch {
    return this.#translatedNow(after, () => this.#batch(this.#store.events(root + prefix, { after: this.#realOf(after), limit })));
  }

  async *watch(prefix: string, { after, signal }: { after: Revision; signal: AbortSignal }) {
    const inner = this.#store.watch(root + prefix, { after: this.#realOf(after), signal })[Symbol.asyncIterator]();
    try {
      for (let seen = after; ; ) {
        const { value, done } = await this.#translated(seen, () => inner.next());
        if (done === true) return;
        const batch = this.#batch(value);
        seen = batch.revision;
        yield batch;
      }
    } finally {
      await inner.return?.();
    }
  }

  subscribe(prefix: string, { after }: { after: Revision }, fn: (batch: WatchBatch) => void): Disposable {
    return this.#translatedNow(after, () =>
      this.#store.subscribe(root + prefix, { after: this.#realOf(after) }, (batch) => fn(this.#batch(batch))),
    );
  }

  async history(key: string, { after, last }: { after?: Revision; last?: number } = {}) {
    const opts = { ...(after === undefined ? {} : { after: this.#realOf(after) }), ...(last === undefined ? {} : { last }) };
    const changes = await this.#translated(after, () => this.#store.history(root + key, opts));
    return changes.map(({ revision, entry, ...rest }) => ({ ...rest, revision: this.#numberOf(revision), entry: this.#entry(entry) }));
  }

  async compact(before: Revision): Promise<void> {
    this.#realOf(before);
    await this.#store.compact(this.#realOf(before));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    this.#counting[Symbol.dispose]();
  }

  #at(at: Revision | undefined): { at?: Revision } {
    return at === undefined ? {} : { at: this.#realOf(at) };
  }

  /** Other numbers than those that there were are nobody's: no entry is at one. */
  #realOf(number: Revision): Revision {
    const found = this.#own[number - 1];
    if (found === undefined) throw new FutureRevisionError(number, this.revision);
    return found;
  }

  #numberOf(real: Revision): Revision {
    let number = this.#own.length;
    while (number > 1 && (this.#own[number - 1] as Revision) > real) number--;
    return number as Revision;
  }

  #write(op: Write): Write {
    const expected = <E extends Revision | "absent">(expect: E): E =>
      (expect === "absent" ? expect : (this.#own[Number(expect) - 1] ?? Number.MAX_SAFE_INTEGER)) as E;
    const others: Pick<Write, "compare" | "also"> = {
      ...(op.compare === undefined
        ? {}
        : { compare: op.compare.map(({ key, modified }) => ({ key: root + key, modified: expected(modified) })) }),
      ...(op.also === undefined ? {} : { also: op.also.map((one) => this.#also(one, expected)) }),
    };
    const key = root + op.key;
    return op.op === "delete"
      ? { ...op, key, expect: expected(op.expect), ...others }
      : { ...op, key, expect: expected(op.expect), ...others };
  }

  #also(one: Replacement, expected: <E extends Revision | "absent">(expect: E) => E): Replacement {
    const key = root + one.key;
    return one.value === undefined ? { ...one, key, expect: expected(one.expect) } : { ...one, key, expect: expected(one.expect) };
  }

  #batch({ revision, events }: WatchBatch): WatchBatch {
    return { revision: this.#numberOf(revision), events: events.map((event) => this.#event(event)) };
  }

  /** Whoever is told first. */
  #count(event: StoreEvent): void {
    const revision = event.type === "put" ? event.entry.modified : event.revision;
    const after = this.#own.findLastIndex((one) => one <= revision);
    if (this.#own[after] !== revision) this.#own.splice(after + 1, 0, revision);
  }

  #event(event: StoreEvent): StoreEvent {
    this.#count(event);
    const previous = this.#entry(event.previous);
    if (event.type === "put") return { type: "put", entry: this.#entry(event.entry) as Entry, previous };
    return { type: "delete", key: event.key.slice(root.length), revision: this.#numberOf(event.revision), previous: previous as Entry };
  }

  #entry(entry: Entry | undefined): Entry | undefined {
    if (entry === undefined) return undefined;
    let known = this.#entries.get(entry);
    if (known === undefined) {
      const { key, created, modified } = entry;
      known = {
        ...{ key: key.slice(root.length), value: entry.value, created: this.#numberOf(created), modified: this.#numberOf(modified) },
        get derived() {
          return entry.derived;
        },
        set derived(value) {
          entry.derived = value;
        },
      };
      this.#entries.set(entry, known);
    }
    return known;
  }

  async #translated<T>(asked: Revision | undefined, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw this.#inNumbers(asked, error);
    }
  }

  #translatedNow<T>(asked: Revision, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#inNumbers(asked, error);
    }
  }

  #inNumbers(asked: Revision | undefined, error: unknown): unknown {
    return error instanceof CompactedError && asked !== undefined ? new CompactedError(asked, this.compacted) : error;
  }
}
