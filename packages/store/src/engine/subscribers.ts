import type { Revision, StoreEvent, WatchBatch } from "../storage/store.ts";
import { PrefixIndex } from "./prefix-index.ts";

interface Subscriber {
  /** The newest revision that was delivered to it; older batches are not for it. */
  seen: Revision;
  readonly receive: (batch: WatchBatch) => void;
}

/** All subscribers of one prefix; they share each batch. */
interface Group {
  readonly prefix: string;
  readonly members: Set<Subscriber>;
  /** The events of the commit that is being handed out. */
  events: StoreEvent[];
}

interface Delivery {
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
  readonly isReplaced?: true;
}

/** Hands out commits in order, each only to the subscribers whose prefix it touches. */
export class Subscribers {
  readonly #groups = new PrefixIndex<Group>();
  readonly #all = new Set<Group>();
  readonly #queue: Delivery[] = [];
  #delivering = false;

  /** `missed` is delivered to the subscriber first, in the same call. */
  add(prefix: string, seen: Revision, missed: WatchBatch | undefined, receive: (batch: WatchBatch) => void): Disposable {
    const group = this.#groups.obtain(prefix, () => ({ prefix, members: new Set(), events: [] }));
    const subscriber: Subscriber = { seen, receive };
    group.members.add(subscriber);
    this.#all.add(group);
    if (missed !== undefined) this.#inOrder(() => call(subscriber, missed));
    return { [Symbol.dispose]: () => this.#remove(group, subscriber) };
  }

  /**
   * Delivers these events to every subscriber before it returns, unless it is called by a subscriber: then, so that no subscriber
   * sees revisions out of order, after the current ones are handed out.
   */
  publish(revision: Revision, events: readonly StoreEvent[]): void {
    this.#queue.push({ revision, events });
    this.#inOrder(() => {});
  }

  /** An empty batch for every subscriber that was not sent this revision. */
  progress(revision: Revision): void {
    const batch: WatchBatch = { revision, events: [] };
    this.#inOrder(() => {
      for (const group of this.#all) handOut(group, batch);
    });
  }

  /** The same where the events are only what differs: every subscriber gets them, whatever it has seen. */
  replace(revision: Revision, events: readonly StoreEvent[]): void {
    this.#queue.push({ revision, events, isReplaced: true });
    this.#inOrder(() => {});
  }

  /** Removes all subscribers. */
  clear(): void {
    for (const group of this.#all) {
      group.members.clear();
      this.#groups.remove(group.prefix);
    }
    this.#all.clear();
  }

  #inOrder(first: () => void): void {
    if (this.#delivering) {
      first();
      return;
    }
    this.#delivering = true;
    try {
      first();
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  #deliver({ revision, events, isReplaced }: Delivery): void {
    const touched: Group[] = [];
    for (const event of events) {
      this.#groups.forEachPrefixOf(event.type === "put" ? event.entry.key : event.key, (group) => {
        if (group.events.push(event) === 1) touched.push(group);
      });
    }
    for (const group of isReplaced === true ? this.#all : touched) {
      const batch: WatchBatch = { revision, events: group.events, ...(isReplaced === true ? { isReplaced } : {}) };
      group.events = [];
      handOut(group, batch);
    }
  }

  #remove(group: Group, subscriber: Subscriber): void {
    if (!group.members.delete(subscriber) || group.members.size > 0) return;
    this.#all.delete(group);
    this.#groups.remove(group.prefix);
  }
}

function handOut(group: Group, batch: WatchBatch): void {
  for (const subscriber of group.members) {
    if (subscriber.seen >= batch.revision && batch.isReplaced !== true) continue;
    subscriber.seen = batch.revision;
    call(subscriber, batch);
  }
}

/** One subscriber's bug must not keep the others from their events: it becomes an uncaught exception of its own. */
function call(subscriber: Subscriber, batch: WatchBatch): void {
  try {
    subscriber.receive(batch);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
