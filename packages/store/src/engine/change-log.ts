import { CompactedError, type Entry, FutureRevisionError, type Revision, type StoreEvent, type WriteNote } from "../storage/store.ts";
import { emptyTree, getEntry, putEntry, removeEntry, type Tree } from "./tree.ts";

/** How much history is kept. Whatever is wanted, the bytes are a bound. */
export interface HistoryWindow {
  /** Revisions younger than this are kept. */
  readonly historyMs: number;
  /** At least so many revisions are kept, however old. */
  readonly historyRevisions: number;
  /** What history may cost in memory, over the live entries; estimated. */
  readonly historyBytes: number;
}

export const defaultWindow: HistoryWindow = { historyMs: 600_000, historyRevisions: 10_000, historyBytes: 64 * 1024 * 1024 };

/** A write that came from a copy of the store in another thread. */
export interface WriteOrigin {
  readonly replica: number;
  /** Among the writes of that copy. */
  readonly id: number;
}

/** One write, as it is kept in the history. */
export interface Change {
  readonly revision: Revision;
  /** When it was written; milliseconds since the epoch. */
  readonly at: number;
  readonly event: StoreEvent;
  readonly note: WriteNote | undefined;
  readonly origin?: WriteOrigin;
}

interface Item {
  readonly change: Change;
  /** Everything as it was right after the change. */
  readonly tree: Tree;
  /** What dropping the change sets free. */
  readonly bytes: number;
}

/** Measured: the copied tree nodes, the event and the log's own item, for trees of 1,000 to 100,000 entries. */
const bytesPerChange = 1_400;
/** Measured: an Entry with its key's and value's headers. */
const bytesPerEntry = 300;
/** How many revisions after it was superseded an entry loses what readers derived from it. */
const derivedRevisions = 256;

/** The revisions of the window, oldest first, each with its tree. */
export class ChangeLog {
  /** Called with each entry that is no longer in any state that is kept. */
  onDropped: ((entry: Entry) => void) | undefined;
  readonly #window: HistoryWindow;
  #items: (Item | undefined)[] = [];
  /** Where the window begins in `#items`; the empty places before it are cut off now and then, many at once. */
  #head = 0;
  #bytes = 0;
  #tree: Tree = emptyTree;
  #oldestTree: Tree = emptyTree;
  #revision: Revision;
  #compacted: Revision;
  readonly #retained = new Set<() => Revision>();

  constructor(window: HistoryWindow, revision: Revision) {
    this.#window = window;
    this.#revision = revision;
    this.#compacted = revision;
  }

  get tree(): Tree {
    return this.#tree;
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** The oldest revision that can be read, and the oldest after which all changes are known. */
  get compacted(): Revision {
    return this.#compacted;
  }

  /** Replaces everything: `tree` is the state at `revision`, with no history before. */
  reset(tree: Tree, revision: Revision): void {
    this.#items = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#tree = this.#oldestTree = tree;
    this.#revision = this.#compacted = revision;
  }

  append(change: Change): void {
    const { event } = change;
    const { previous } = event;
    const tree = event.type === "put" ? putEntry(this.#tree, event.entry) : removeEntry(this.#tree, event.key);
    const bytes = bytesPerChange + (previous === undefined ? 0 : bytesPerEntry + previous.value.byteLength);
    this.#items.push({ change, tree, bytes });
    this.#bytes += bytes;
    this.#tree = tree;
    this.#revision = change.revision;
    const superseded = this.#items[this.#items.length - derivedRevisions]?.change.event.previous;
    if (superseded !== undefined) superseded.derived = undefined;
  }

  /** Nothing has changed up to a revision, which other keys may have made. */
  advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  /** The state at a revision. */
  treeAt(revision: Revision): Tree {
    this.#check(revision);
    if (revision === this.#revision) return this.#tree;
    return this.#items[this.#firstAfter(revision) - 1]?.tree ?? this.#oldestTree;
  }

  /** The changes after a revision, oldest first. */
  *changesAfter(revision: Revision): Generator<Change, void, undefined> {
    this.#check(revision);
    for (let i = this.#firstAfter(revision); i < this.#items.length; i++) {
      const item = this.#items[i];
      if (item !== undefined) yield item.change;
    }
  }

  /** Everything as it was at a revision, with the history before it, to go on by itself. The cost is a pointer for each change that is kept. */
  copyAt(revision: Revision): ChangeLog {
    this.#check(revision);
    const copy = new ChangeLog(this.#window, revision);
    copy.#items = this.#items.slice(this.#head, this.#firstAfter(revision));
    for (const item of copy.#items) copy.#bytes += item?.bytes ?? 0;
    copy.#oldestTree = this.#oldestTree;
    copy.#tree = this.treeAt(revision);
    copy.#compacted = this.#compacted;
    return copy;
  }

  /** The newest changes of one key after a revision, newest first, at most so many. Each knows its predecessor: none between is looked at. */
  changesOf(key: string, after: Revision, most: number): Change[] {
    this.#check(after);
    const found: Change[] = [];
    let i = this.#firstAfter(getEntry(this.#tree, key)?.modified ?? this.#revision) - 1;
    while (i >= this.#head && found.length < most) {
      const { change } = this.#items[i] as Item;
      if (change.revision <= after) break;
      const { event } = change;
      if ((event.type === "put" ? event.entry.key : event.key) !== key) {
        i--;
        continue;
      }
      found.push(change);
      i = event.previous === undefined ? i - 1 : this.#firstAfter(event.previous.modified) - 1;
    }
    return found;
  }

  /** Keeps the changes after a revision, which goes up as they are recorded elsewhere, for as long as they take no more than twice the bytes. */
  retain(after: () => Revision): Disposable {
    const retained = (): Revision => after();
    this.#retained.add(retained);
    return { [Symbol.dispose]: () => void this.#retained.delete(retained) };
  }

  /** Drops what the window no longer covers. */
  trim(now: number): void {
    const { historyMs, historyRevisions, historyBytes } = this.#window;
    for (let item = this.#items[this.#head]; item !== undefined; item = this.#items[this.#head]) {
      const wanted = this.#items.length - this.#head <= historyRevisions || now - item.change.at < historyMs;
      if ((wanted && this.#bytes <= historyBytes) || this.#isRetained(item)) break;
      this.#dropOldest(item);
    }
    this.#reclaim();
  }

  /** Forgets the states before a revision, which is still readable afterwards; what is retained stays. */
  compact(before: Revision): void {
    if (before > this.#revision) throw new FutureRevisionError(before, this.#revision);
    for (let item = this.#items[this.#head]; item !== undefined && item.change.revision <= before; item = this.#items[this.#head]) {
      if (this.#isRetained(item)) break;
      this.#dropOldest(item);
    }
    this.#reclaim();
  }

  #isRetained({ change }: Item): boolean {
    if (this.#bytes > 2 * this.#window.historyBytes) return false;
    for (const after of this.#retained) if (change.revision > after()) return true;
    return false;
  }

  #check(revision: Revision): void {
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
  }

  /** The position of the first item that is newer than `revision`. */
  #firstAfter(revision: Revision): number {
    let low = this.#head;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle] as Item).change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #dropOldest(item: Item): void {
    this.#items[this.#head++] = undefined;
    this.#bytes -= item.bytes;
    this.#oldestTree = item.tree;
    this.#compacted = item.change.revision;
    const { previous } = item.change.event;
    if (previous !== undefined) this.onDropped?.(previous);
  }

  #reclaim(): void {
    if (this.#head < 256 || this.#head * 4 < this.#items.length) return;
    this.#items.splice(0, this.#head);
    this.#head = 0;
  }
}
