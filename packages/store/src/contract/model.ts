/** The store as one would explain it: every state there has ever been, in full, and every event. */
import assert from "node:assert/strict";
import type { Entry, Revision, Store, StoreEvent, WatchBatch, Write, WriteResult } from "../storage/store.ts";

/** An entry or event in words that compare well: bytes as text. */
export interface PlainEntry {
  readonly key: string;
  readonly value: string;
  readonly created: number;
  readonly modified: number;
}

export interface PlainEvent {
  readonly key: string;
  readonly revision: number;
  readonly entry: PlainEntry | undefined;
  readonly previous: PlainEntry | undefined;
}

/** For what a test knows to be there. */
export function found<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export function plainEntry(entry: Entry): PlainEntry {
  const { key, value, created, modified } = entry;
  return { key, value: new TextDecoder().decode(value), created, modified };
}

export function plainEvent(event: StoreEvent): PlainEvent {
  const previous = event.previous && plainEntry(event.previous);
  if (event.type === "delete") return { key: event.key, revision: event.revision, entry: undefined, previous };
  return { key: event.entry.key, revision: event.entry.modified, entry: plainEntry(event.entry), previous };
}

export class Model {
  readonly #first: number;
  readonly #states: Map<string, PlainEntry>[] = [new Map()];
  readonly events: PlainEvent[] = [];
  compacted: number;

  constructor(first: number) {
    this.#first = first;
    this.compacted = first;
  }

  get revision(): number {
    return this.#first + this.#states.length - 1;
  }

  at(revision: number): Map<string, PlainEntry> {
    return found(this.#states[revision - this.#first]);
  }

  write(op: Write): { ok: boolean; actual: PlainEntry | undefined } {
    const { also = [] } = op;
    const compare = [...(op.compare ?? []), ...also.map(({ key, expect }) => ({ key, modified: expect }))];
    if (compare.some(({ key, modified }) => (this.at(this.revision).get(key)?.modified ?? "absent") !== modified))
      return { ok: false, actual: undefined };
    const actual = this.at(this.revision).get(op.key);
    if (op.expect !== (actual?.modified ?? "absent")) return { ok: false, actual };
    for (const { key, value } of also) this.#change(key, value);
    this.#change(op.key, op.op === "delete" ? undefined : op.value);
    return { ok: true, actual };
  }

  #change(key: string, value: Uint8Array | undefined): void {
    const previous = this.at(this.revision).get(key);
    const state = new Map(this.at(this.revision));
    this.#states.push(state);
    const { revision } = this;
    if (value === undefined) state.delete(key);
    else state.set(key, { key, value: new TextDecoder().decode(value), created: previous?.created ?? revision, modified: revision });
    this.events.push({ key, revision, entry: state.get(key), previous });
  }

  list(prefix: string, revision: number): PlainEntry[] {
    return [...this.at(revision).values()].filter(({ key }) => key.startsWith(prefix)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  eventsAfter(revision: number, prefix: string): PlainEvent[] {
    return this.events.filter((event) => event.revision > revision && event.key.startsWith(prefix));
  }
}

export function assertSameResult(result: WriteResult, expected: { ok: boolean; actual: PlainEntry | undefined }): void {
  assert.equal(result.ok, expected.ok);
  if (!result.ok) assert.deepEqual(result.actual && plainEntry(result.actual), expected.actual);
}

/** Compares everything that can be read: each kept revision whole, in pages and key by key, and the events after it. */
export async function assertSameHistory(store: Store, model: Model, prefixes: readonly string[], pageSize: number): Promise<void> {
  assert.equal(store.revision, model.revision);
  assert.equal(store.compacted, model.compacted);
  for (let revision = model.compacted; revision <= model.revision; revision++) {
    const at = revision as Revision;
    for (const prefix of prefixes) {
      const expected = model.list(prefix, revision);
      const whole = await store.list(prefix, { at });
      assert.deepEqual({ ...whole, entries: whole.entries.map(plainEntry) }, { revision, entries: expected, remaining: 0 });
      assert.deepEqual(await readPages(store, prefix, at, pageSize), expected);
      assert.deepEqual(missedEvents(store, prefix, at), model.eventsAfter(revision, prefix));
      assert.deepEqual(eventPages(store, prefix, at, pageSize), model.eventsAfter(revision, prefix));
    }
    for (const [key, entry] of model.at(revision)) assert.deepEqual(plainEntry(found((await store.get(key, { at })).entry)), entry);
  }
}

async function readPages(store: Store, prefix: string, at: Revision, limit: number): Promise<PlainEntry[]> {
  const read: PlainEntry[] = [];
  for (let after: string | undefined; ; after = read.at(-1)?.key) {
    const page = await store.list(prefix, { at, limit, ...(after === undefined ? {} : { after }) });
    read.push(...page.entries.map(plainEntry));
    if (page.remaining === 0) return read;
  }
}

function eventPages(store: Store, prefix: string, from: Revision, limit: number): PlainEvent[] {
  const read: PlainEvent[] = [];
  for (let after = from; after < store.revision; ) {
    const { revision, events } = store.events(prefix, { after, limit });
    assert.ok(events.length <= limit && revision > after);
    read.push(...events.map(plainEvent));
    after = revision;
  }
  return read;
}

function missedEvents(store: Store, prefix: string, after: Revision): PlainEvent[] {
  const batches: WatchBatch[] = [];
  store.subscribe(prefix, { after }, (batch) => batches.push(batch))[Symbol.dispose]();
  return batches.flatMap(({ events }) => events.map(plainEvent));
}
