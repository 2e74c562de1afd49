/**
 * Stores of several servers over one state in memory, each with a copy that follows when the test lets it: what several servers on one etcd
 * are, without etcd and without chance.
 */
import { type Change, ChangeLog, defaultWindow } from "../engine/change-log.ts";
import { changesOf, decide } from "../engine/compare-and-swap.ts";
import { firstRevision, type HistoryOptions, HistoryStore } from "../engine/history-store.ts";
import { getEntry } from "../engine/tree.ts";
import {
  type Entry,
  type Revision,
  StorageError,
  type Store,
  type StoreEvent,
  type Write,
  type WriteNote,
  type WriteResult,
} from "../storage/store.ts";

/** One server's store. */
export interface FollowingStore extends Store {
  freshen(): Promise<void>;
  /** From now on what others write is not seen here, but by `freshen`, and with what is written here. */
  hold(): void;
  /** Sees all that there is, at once, and follows again. */
  release(): void;
  /** Called before each write of this store is decided: what happens here happens in between. */
  beforeWrite: ((op: Write) => void | Promise<void>) | undefined;
}

/** How a server sees the one state. */
export interface FollowingOptions extends HistoryOptions {
  /** Awaited before what was written shows here, and before a write of this store is decided. Otherwise all is seen in the turn it is written in. */
  readonly delay?: () => Promise<void>;
}

/** The one state, and whoever has opened a store on it. */
export interface SharedMemory {
  /** The newest revision of all. */
  readonly revision: Revision;
  /** Who wrote what, oldest first. */
  readonly changes: Iterable<Change>;
  /** Another server's store. What has a `ttlSeconds` stays. */
  open(options: FollowingOptions): FollowingStore;
}

/** An empty state. */
export function createSharedMemory(): SharedMemory {
  const log = new ChangeLog({ ...defaultWindow, historyRevisions: Number.POSITIVE_INFINITY }, firstRevision);
  const stores = new Set<SharingStore>();
  const state: SharedState = { log, stores };
  return {
    get revision() {
      return log.revision;
    },
    get changes() {
      return log.changesAfter(log.compacted);
    },
    open(options) {
      const store = new SharingStore(options, state);
      stores.add(store);
      return store;
    },
  };
}

interface SharedState {
  readonly log: ChangeLog;
  readonly stores: Set<SharingStore>;
}

class SharingStore extends HistoryStore implements FollowingStore {
  readonly writeFailure = undefined;
  readonly expires = true;
  beforeWrite: FollowingStore["beforeWrite"];
  readonly #state: SharedState;
  readonly #delay: FollowingOptions["delay"];
  /** What was written here, with what its writer has derived, until it shows. */
  readonly #unseen = new Map<Revision, StoreEvent>();
  #isFollowing = false;
  #isHeld = false;
  #isClosed = false;

  constructor({ delay, ...options }: FollowingOptions, state: SharedState) {
    super(options);
    this.#state = state;
    this.#delay = delay;
    this.#catchUp();
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#catchUp();
  }

  async freshen(): Promise<void> {
    if (this.#delay !== undefined) await this.#delay();
    this.#catchUp();
  }

  /** Decided on the one state; once it is answered, this store has seen it, and all before. */
  async write(op: Write, note?: WriteNote): Promise<WriteResult> {
    if (this.#isClosed) throw new StorageError("the store is closed");
    await this.beforeWrite?.(op);
    if (this.#delay !== undefined) await this.#delay();
    const { log, stores } = this.#state;
    const decision = decide(op, (key) => getEntry(log.tree, key), log.revision);
    if (!decision.ok) {
      this.#catchUp();
      const own = (entry: Entry | undefined): Entry | undefined => entry && getEntry(this.log.tree, entry.key);
      return { ...decision, actual: own(decision.actual), revision: this.revision };
    }
    if (this.#delay === undefined) this.#catchUp();
    const changes = changesOf(decision.events, { after: log.revision, at: this.clock.now(), note });
    for (const change of changes) log.append({ ...change, event: copyOf(change.event, (key) => getEntry(log.tree, key)) });
    for (const { revision, event } of changes) this.#unseen.set(revision, event);
    const { revision } = log;
    if (this.#delay === undefined) this.#catchUp();
    for (const other of stores) if (other !== this) other.#follow();
    if (this.#delay !== undefined) await this.#delay();
    this.#catchUp();
    return { ok: true, revision, entry: decision.entry };
  }

  async compact(before: Revision): Promise<void> {
    this.log.compact(before);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#state.stores.delete(this);
    await super[Symbol.asyncDispose]();
  }

  /** Sees what another has written: at once, or after the delay, with all that has come by then. */
  #follow(): void {
    if (this.#isHeld || this.#isFollowing) return;
    if (this.#delay === undefined) {
      this.#catchUp();
      return;
    }
    this.#isFollowing = true;
    void this.#delay().then(() => {
      this.#isFollowing = false;
      if (!this.#isHeld && !this.#isClosed) this.#catchUp();
    });
  }

  /** Takes all that is not seen yet, as one batch, however many revisions that are. */
  #catchUp(): void {
    const missed = [...this.#state.log.changesAfter(this.revision)];
    const current = new Map<string, Entry | undefined>();
    const previousOf = (key: string): Entry | undefined => (current.has(key) ? current.get(key) : getEntry(this.log.tree, key));
    const changes = missed.map((change) => {
      const own = this.#unseen.get(change.revision);
      this.#unseen.delete(change.revision);
      const event = own === undefined ? copyOf(change.event, previousOf) : withPrevious(own, previousOf);
      if (event.type === "put") current.set(event.entry.key, event.entry);
      else current.set(event.key, undefined);
      return { ...change, event };
    });
    if (changes.length > 0) this.apply(changes);
  }
}

/** What a reader has derived from an entry is its own. */
function copyOf(event: StoreEvent, previousOf: PreviousOf): StoreEvent {
  return withPrevious(event.type === "put" ? { ...event, entry: { ...event.entry, derived: undefined } } : event, previousOf);
}

type PreviousOf = (key: string) => Entry | undefined;

const withPrevious = (event: StoreEvent, previousOf: PreviousOf): StoreEvent =>
  event.type === "put"
    ? { ...event, previous: previousOf(event.entry.key) }
    : { ...event, previous: previousOf(event.key) ?? event.previous };
