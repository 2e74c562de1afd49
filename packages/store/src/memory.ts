import { decide } from "./engine/compare-and-swap.ts";
import { type HistoryOptions, HistoryStore } from "./engine/history-store.ts";
import { getEntry } from "./engine/tree.ts";
import { type Revision, StorageError, type Store, type Write, type WriteNote, type WriteResult } from "./store.ts";

/** A store that ends with the process. */
export function createMemoryStore(options: HistoryOptions): Store {
  return new MemoryStore(options);
}

class MemoryStore extends HistoryStore {
  #closed = false;

  async write(op: Write, note?: WriteNote): Promise<WriteResult> {
    if (this.#closed) throw new StorageError("the store is closed");
    const actual = getEntry(this.log.tree, op.key);
    const revision = (this.revision + 1) as Revision;
    const decision = decide(op, actual, revision);
    if (!decision.ok) return { ok: false, revision: this.revision, actual };
    this.apply([{ revision, at: this.clock.now(), event: decision.event, note }]);
    return { ok: true, revision, entry: decision.entry };
  }

  async compact(before: Revision): Promise<void> {
    this.log.compact(before);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await super[Symbol.asyncDispose]();
  }
}
