import type { ChangeLog, WriteOrigin } from "../engine/change-log.ts";
import { changesOf, decide } from "../engine/compare-and-swap.ts";
import { type HistoryOptions, HistoryStore } from "../engine/history-store.ts";
import { getEntry } from "../engine/tree.ts";
import { type Revision, StorageError, type Store, type Write, type WriteNote, type WriteResult } from "../storage/store.ts";

/** A store that ends with the process, and of whose state there can be any number of copies. */
export interface MemoryStore extends Store {
  readonly changes: NonNullable<Store["changes"]>;
  readonly retain: NonNullable<Store["retain"]>;
  /** The state at a revision, by default the newest, and the history that led to it. Throws CompactedError and FutureRevisionError. */
  snapshot(opts?: { at?: Revision }): StoreSnapshot;
}

/** What a memory store held at one moment; it never changes. Its entries are shared by all stores that come of it. */
export interface StoreSnapshot {
  readonly revision: Revision;
  /** A store that goes on from here by itself. The history is kept as long as it was in the one that it was taken of. */
  open(options: Pick<HistoryOptions, "clock">): MemoryStore;
}

/** Creates an empty store that is forgotten with the process. */
export function createMemoryStore(options: HistoryOptions): MemoryStore {
  return new TreeStore(options);
}

class TreeStore extends HistoryStore implements MemoryStore {
  readonly writeFailure = undefined;
  #closed = false;

  async write(op: Write, note?: WriteNote, origin?: WriteOrigin): Promise<WriteResult> {
    if (this.#closed) throw new StorageError("the store is closed");
    const decision = decide(op, (key) => getEntry(this.log.tree, key), this.revision);
    if (!decision.ok) return { ...decision, revision: this.revision };
    this.apply(changesOf(decision.events, { after: this.revision, at: this.clock.now(), note, origin }));
    return { ok: true, revision: this.revision, entry: decision.entry };
  }

  async compact(before: Revision): Promise<void> {
    this.forget(before);
  }

  snapshot({ at = this.revision }: { at?: Revision } = {}): StoreSnapshot {
    return snapshotOf(this.log.copyAt(at));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await super[Symbol.asyncDispose]();
  }
}

const snapshotOf = (log: ChangeLog): StoreSnapshot => ({
  revision: log.revision,
  open: (options) => new TreeStore(options, log.copyAt(log.revision)),
});
