/**
 * Keys to work on. A key waits at most once and is worked on by one at a time; what is added while it is worked on comes
 * again afterwards, so that nothing that happened is missed. The semantics are those of client-go's workqueue.
 */
import type { Clock } from "@coxswain/machinery";
import { ClaimIterator } from "./claim-iterator.ts";
import { Delays } from "./delays.ts";
import { type InLane, Lane } from "./lane.ts";
import { defaultRateLimiter, type RateLimiter } from "./rate-limiter.ts";

/** When and with which priority a key is to be worked on. */
export interface AddOptions {
  /** Not before. A key that waits already for a moment keeps the earlier of the two. */
  readonly afterMs?: number;
  /** Low: after all that is not, but for one turn in sixteen. A key that is added at both is not low. */
  readonly priority?: "low" | "normal";
}

/**
 * A queue of keys, each of which waits at most once and is worked on by one worker at a time, as client-go's workqueue.
 * @see https://pkg.go.dev/k8s.io/client-go/util/workqueue
 */
export interface WorkQueue<K> extends Disposable {
  add(key: K, opts?: AddOptions): void;
  /** Each worker iterates on its own. Ends when the signal is aborted, or the queue is closed and empty. */
  claims(signal: AbortSignal): AsyncIterableIterator<Claim<K>>;
  /** Takes nothing more, forgets what was delayed, and still hands out what waits; resolves once all of it is released. */
  close(): Promise<void>;
  /** Drops everything at once; claims that are out may still be released. */
  [Symbol.dispose](): void;
  readonly stats: QueueStats;
}

/** Disposing releases the key; without `retry()` it also clears the key's backoff. */
export interface Claim<K> extends Disposable {
  readonly key: K;
  /** How often in a row it was retried before this. */
  readonly failures: number;
  /** Upon release the key is added again after its backoff. */
  retry(): void;
}

/** The present state of a queue: numbers of keys, and durations in milliseconds. */
export interface QueueStats {
  /** Keys that wait for a worker. */
  readonly depth: number;
  /** Those of them that have low priority. */
  readonly low: number;
  /** Keys that wait for their time. */
  readonly delayed: number;
  readonly claimed: number;
  /** How long those that are claimed now have been, together and the longest. */
  readonly unfinishedMs: number;
  readonly maxUnfinishedMs: number;
}

/** Called with what happens, for metrics. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  claimed(waitedMs: number): void;
  released(workedMs: number): void;
}

/** What every queue is made with, whatever its keys are. */
export interface CommonQueueOptions {
  readonly clock: Clock;
  /** Default: `defaultRateLimiter`. */
  readonly rateLimiter?: RateLimiter;
  readonly observer?: QueueObserver;
}

/** Keys that are no plain values need `idOf`, which says which of them are the same. */
export type WorkQueueOptions<K> = CommonQueueOptions &
  (K extends string | number ? { readonly idOf?: (key: K) => unknown } : { readonly idOf: (key: K) => unknown });

/** Creates an empty queue, which takes keys until it is closed or disposed. */
export const createWorkQueue = <K>(options: WorkQueueOptions<K>): WorkQueue<K> => new KeyedQueue<K>(options, options.idOf);

/** Of all claims while keys of both priorities wait, one in so many is of a low one, lest they starve. */
const lowTurn = 16;

/** A key with something ahead of it or under way. */
class Item<K> implements InLane<Item<K>> {
  readonly id: unknown;
  readonly key: K;
  lane: Lane<Item<K>> | undefined;
  before: Item<K> | undefined;
  after: Item<K> | undefined;
  isClaimed = false;
  /** Added while claimed: the lane that it goes to on release. */
  next: Lane<Item<K>> | undefined;
  isDelayed = false;
  delayedPriority: "low" | "normal" = "low";
  addedAt = 0;
  claimedAt = 0;

  constructor(id: unknown, key: K) {
    this.id = id;
    this.key = key;
  }
}

class KeyedQueue<K> implements WorkQueue<K> {
  readonly #clock: Clock;
  readonly #idOf: (key: K) => unknown;
  readonly #limiter: RateLimiter;
  readonly #observer: QueueObserver | undefined;
  readonly #items = new Map<unknown, Item<K>>();
  readonly #normal = new Lane<Item<K>>();
  readonly #low = new Lane<Item<K>>();
  readonly #claimed = new Set<Item<K>>();
  readonly #delays: Delays<Item<K>>;
  /** Workers with nothing to do, who has waited longest first. */
  readonly #idle = new Set<(claim: Claim<K> | undefined) => void>();
  readonly #onDrained: (() => void)[] = [];
  #turn = 0;
  #isClosed = false;

  constructor({ clock, rateLimiter, observer }: CommonQueueOptions, idOf: ((key: K) => unknown) | undefined) {
    this.#clock = clock;
    this.#idOf = idOf ?? ((key) => key);
    this.#limiter = rateLimiter ?? defaultRateLimiter(clock);
    this.#observer = observer;
    this.#delays = new Delays(clock, (item) => this.#fallDue(item));
  }

  add(key: K, { afterMs = 0, priority = "normal" }: AddOptions = {}): void {
    if (this.#isClosed) return;
    const id = this.#idOf(key);
    let item = this.#items.get(id);
    if (item === undefined) {
      item = new Item(id, key);
      this.#items.set(id, item);
    }
    if (afterMs > 0) this.#delay(item, afterMs, priority);
    else this.#addNow(item, priority);
  }

  claims(signal: AbortSignal): AsyncIterableIterator<Claim<K>> {
    return new ClaimIterator<Claim<K>>(signal, {
      take: () => this.#take(),
      hasEnded: () => this.#isClosed,
      wait: (resolve) => void this.#idle.add(resolve),
      leave: (resolve) => void this.#idle.delete(resolve),
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#delays.clear();
    this.#dismissIdle();
    return new Promise((resolve) => {
      this.#onDrained.push(resolve);
      this.#resolveIfDrained();
    });
  }

  [Symbol.dispose](): void {
    for (const lane of [this.#normal, this.#low]) for (let item = lane.first; item !== undefined; item = lane.first) lane.remove(item);
    for (const item of this.#claimed) item.next = undefined;
    this.#items.clear();
    void this.close();
  }

  get stats(): QueueStats {
    const now = this.#clock.monotonic();
    const worked = [...this.#claimed].map((item) => now - item.claimedAt);
    return {
      depth: this.#normal.size + this.#low.size,
      low: this.#low.size,
      delayed: this.#delays.size,
      claimed: worked.length,
      unfinishedMs: worked.reduce((sum, ms) => sum + ms, 0),
      maxUnfinishedMs: Math.max(0, ...worked),
    };
  }

  #addNow(item: Item<K>, priority: "low" | "normal"): void {
    const lane = priority === "low" ? this.#low : this.#normal;
    const ahead = item.isClaimed ? item.next : item.lane;
    if (ahead === this.#normal || ahead === lane) return;
    if (ahead === undefined) {
      item.addedAt = this.#clock.monotonic();
      this.#observer?.added();
    }
    if (item.isClaimed) item.next = lane;
    else this.#enqueue(item, lane);
  }

  #enqueue(item: Item<K>, lane: Lane<Item<K>>): void {
    item.lane?.remove(item);
    item.lane = lane;
    lane.push(item);
    const [worker] = this.#idle;
    if (worker === undefined) return;
    this.#idle.delete(worker);
    worker(this.#take());
  }

  #delay(item: Item<K>, afterMs: number, priority: "low" | "normal"): void {
    this.#observer?.retried();
    if (!item.isDelayed) item.delayedPriority = priority;
    else if (priority === "normal") item.delayedPriority = "normal";
    item.isDelayed = true;
    this.#delays.add(item, afterMs);
  }

  #fallDue(item: Item<K>): void {
    item.isDelayed = false;
    this.#addNow(item, item.delayedPriority);
  }

  #take(): Claim<K> | undefined {
    const lane = this.#normal.size === 0 || (this.#low.size > 0 && ++this.#turn % lowTurn === 0) ? this.#low : this.#normal;
    const item = lane.first;
    if (item === undefined) return undefined;
    lane.remove(item);
    item.lane = undefined;
    item.isClaimed = true;
    item.claimedAt = this.#clock.monotonic();
    this.#claimed.add(item);
    this.#observer?.claimed(item.claimedAt - item.addedAt);
    return this.#claimOf(item, lane);
  }

  #claimOf(item: Item<K>, lane: Lane<Item<K>>): Claim<K> {
    let retries = false;
    return {
      key: item.key,
      failures: this.#limiter.failures(item.id),
      retry: () => {
        retries = true;
      },
      [Symbol.dispose]: () => {
        if (!this.#claimed.delete(item)) return;
        if (!retries) this.#limiter.forget(item.id);
        this.#release(item);
        if (retries && !this.#isClosed) this.#retry(item, lane);
      },
    };
  }

  #retry(item: Item<K>, lane: Lane<Item<K>>): void {
    this.add(item.key, { afterMs: this.#limiter.nextDelay(item.id), priority: lane === this.#low ? "low" : "normal" });
  }

  #release(item: Item<K>): void {
    const { next } = item;
    item.isClaimed = false;
    item.next = undefined;
    this.#observer?.released(this.#clock.monotonic() - item.claimedAt);
    if (next !== undefined) this.#enqueue(item, next);
    else if (!item.isDelayed) this.#items.delete(item.id);
    this.#resolveIfDrained();
  }

  #dismissIdle(): void {
    for (const worker of this.#idle) worker(undefined);
    this.#idle.clear();
  }

  #resolveIfDrained(): void {
    if (!this.#isClosed || this.#normal.size + this.#low.size + this.#claimed.size > 0) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
