import type { Clock, Timer } from "@coxswain/machinery";
import type {
  Entry,
  KeyChange,
  KeyedChange,
  ListResult,
  Revision,
  Store,
  StoreEvent,
  WatchBatch,
  Write,
  WriteNote,
  WriteResult,
} from "../storage/store.ts";
import { type Change, ChangeLog, defaultWindow, type HistoryWindow, type WriteOrigin } from "./change-log.ts";
import { Subscribers } from "./subscribers.ts";
import { getEntry, rank, slice, type Tree } from "./tree.ts";

/** How much history a store keeps. */
export interface HistoryOptions extends Partial<HistoryWindow> {
  readonly clock: Clock;
}

/** A store without writes is at this revision: 0 means "any" to Kubernetes' clients. */
export const firstRevision = 1 as Revision;
/** How often the window is trimmed and idle subscribers receive progress. */
const maintenanceMs = 30_000;

/** Whoever keeps copies of a store in other threads. */
export interface Feed {
  /** Of changes that are about to be visible: it may put their values elsewhere. */
  place(changes: readonly Change[]): void;
  /** They are visible here, and nobody has been told. Also called without changes, after some were forgotten. */
  publish(changes: readonly Change[]): void;
}

/**
 * What all drivers share: the versions of the tree, reading at any of them, and notifying subscribers. A driver decides
 * writes and calls `apply` once they are durable.
 */
export abstract class HistoryStore implements Store {
  protected readonly clock: Clock;
  protected readonly log: ChangeLog;
  readonly #subscribers = new Subscribers();
  readonly #closed = new AbortController();
  #timer: Timer;
  #feed: Feed | undefined;

  /** Goes on from `log` where there is one. */
  constructor({ clock, ...window }: HistoryOptions, log?: ChangeLog) {
    this.clock = clock;
    this.log = log ?? new ChangeLog({ ...defaultWindow, ...window }, firstRevision);
    this.#timer = this.#maintainLater();
  }

  abstract readonly writeFailure: Error | undefined;
  /** @param origin of one that came from a copy of the store: it is found again in the change */
  abstract write(op: Write, note?: WriteNote, origin?: WriteOrigin): Promise<WriteResult>;
  abstract compact(before: Revision): Promise<void>;

  get revision(): Revision {
    return this.log.revision;
  }

  get compacted(): Revision {
    return this.log.compacted;
  }

  async get(key: string, { at = this.revision }: { at?: Revision } = {}): Promise<{ revision: Revision; entry: Entry | undefined }> {
    return { revision: at, entry: getEntry(this.log.treeAt(at), key) };
  }

  async list(prefix: string, opts: { at?: Revision; after?: string; limit?: number } = {}): Promise<ListResult> {
    const { at: revision = this.revision, after, limit } = opts;
    const tree = this.log.treeAt(revision);
    const beyond = keyBeyond(prefix);
    const end = beyond === undefined ? tree.size : rank(tree, beyond);
    const from = Math.min(end, rank(tree, after !== undefined && after >= prefix ? `${after}\0` : prefix));
    const to = limit === undefined ? end : Math.min(end, from + limit);
    return { revision, entries: slice(tree, from, to), remaining: end - to };
  }

  async history(key: string, opts: { after?: Revision; last?: number } = {}): Promise<readonly KeyChange[]> {
    const { after = this.compacted, last = Number.POSITIVE_INFINITY } = opts;
    return this.log
      .changesOf(key, after, last)
      .reverse()
      .map(({ revision, at, event, note }) => ({ revision, at, entry: event.type === "put" ? event.entry : undefined, note }));
  }

  changes({ after, limit }: { after: Revision; limit: number }): { readonly revision: Revision; readonly changes: readonly KeyedChange[] } {
    const changes: KeyedChange[] = [];
    for (const { revision, at, event, note } of this.log.changesAfter(after)) {
      const last = changes.at(-1)?.revision ?? revision;
      if (changes.length >= limit && revision !== last) return { revision: last, changes };
      const entry = event.type === "put" ? event.entry : undefined;
      changes.push({ revision, at, key: keyOf(event), entry, previous: event.previous, note });
    }
    return { revision: this.revision, changes };
  }

  retain(after: () => Revision): Disposable {
    return this.log.retain(after);
  }

  events(prefix: string, { after, limit }: { after: Revision; limit: number }): WatchBatch {
    const events = this.#eventsAfter(after, prefix, limit);
    const last = events.length < limit ? undefined : events.at(-1);
    return { revision: last === undefined ? this.revision : revisionOf(last), events };
  }

  subscribe(prefix: string, { after }: { after: Revision }, fn: (batch: WatchBatch) => void): Disposable {
    const missed = this.#eventsAfter(after, prefix);
    const batch = after < this.revision ? { revision: this.revision, events: missed } : undefined;
    return this.#subscribers.add(prefix, this.revision, batch, fn);
  }

  /** Reads on from the history whenever it is asked to: a slow reader costs nothing but, at last, a CompactedError. */
  async *watch(prefix: string, { after, signal }: { after: Revision; signal: AbortSignal }): AsyncGenerator<WatchBatch, void, undefined> {
    let wake = () => {};
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const onEnd = () => wake();
    ended.addEventListener("abort", onEnd);
    let delivered = this.revision;
    using _ = this.subscribe(prefix, { after: delivered }, (batch) => {
      delivered = batch.revision;
      wake();
    });
    try {
      for (let seen = after; !ended.aborted; ) {
        const events = this.#eventsAfter(seen, prefix);
        const revision = this.revision;
        if (revision > seen) {
          seen = revision;
          yield { revision, events };
        }
        if (delivered > seen || ended.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      ended.removeEventListener("abort", onEnd);
    }
  }

  /** What is there and what led to it; of all that happens from now on the feed is told. A store has one feed. */
  follow(feed: Feed): ChangeLog {
    this.#feed = feed;
    return this.log;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    this.#subscribers.clear();
    this.#closed.abort();
  }

  /** Makes durable changes visible, all at once, and notifies all subscribers in the same turn. */
  protected apply(changes: readonly Change[]): void {
    this.#feed?.place(changes);
    for (const change of changes) this.log.append(change);
    this.log.trim(this.clock.now());
    this.#feed?.publish(changes);
    this.#subscribers.publish(
      this.revision,
      changes.map((change) => change.event),
    );
  }

  /** There were no changes of the store's keys up to a revision. */
  protected advance(revision: Revision): void {
    this.log.advance(revision);
  }

  /** Another state takes the place of everything, without what led to it. Whoever watches begins anew. */
  protected replace(tree: Tree, revision: Revision): void {
    const events = differences(this.log.tree, tree, revision);
    this.log.reset(tree, revision);
    this.#subscribers.replace(revision, events);
  }

  /** The states before a revision are no longer kept. */
  protected forget(before: Revision): void {
    this.log.compact(before);
    this.#feed?.publish([]);
  }

  /** A driver throws here for events that cannot be given out. */
  protected checkEvents(_events: readonly StoreEvent[]): void {}

  /** Called now and then; a driver adds its own upkeep. */
  protected maintain(): void {
    this.log.trim(this.clock.now());
    this.#feed?.publish([]);
    this.#subscribers.progress(this.revision);
  }

  #maintainLater(): Timer {
    const timer = this.clock.schedule(maintenanceMs, () => {
      this.#timer = this.#maintainLater();
      this.maintain();
    });
    timer.unref();
    return timer;
  }

  #eventsAfter(after: Revision, prefix: string, limit = Number.POSITIVE_INFINITY): StoreEvent[] {
    const events: StoreEvent[] = [];
    let last: Revision | undefined;
    for (const { event, revision } of this.log.changesAfter(after)) {
      // Revisions are whole: what else has changed with the last one goes along.
      if (events.length >= limit && revision !== last) break;
      if (!keyOf(event).startsWith(prefix)) continue;
      events.push(event);
      last = revision;
    }
    this.checkEvents(events);
    return events;
  }
}

function keyOf(event: StoreEvent): string {
  return event.type === "put" ? event.entry.key : event.key;
}

const revisionOf = (event: StoreEvent): Revision => (event.type === "put" ? event.entry.modified : event.revision);

/** The least key that is greater than every key with the prefix; undefined when there is none. */
function keyBeyond(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const last = prefix.charCodeAt(length - 1);
    if (last < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(last + 1);
  }
  return undefined;
}

/** What leads from one state to another, as far as that can be told from the two. */
function differences(from: Tree, to: Tree, revision: Revision): StoreEvent[] {
  const gone = slice(from, 0, from.size).filter(({ key }) => getEntry(to, key) === undefined);
  const puts = slice(to, 0, to.size).flatMap((entry): StoreEvent[] => {
    const previous = getEntry(from, entry.key);
    return previous?.modified === entry.modified && previous.created === entry.created ? [] : [{ type: "put", entry, previous }];
  });
  return [
    ...puts.sort((a, b) => revisionOf(a) - revisionOf(b)),
    ...gone.map((previous): StoreEvent => ({ type: "delete", key: previous.key, revision, previous })),
  ];
}
