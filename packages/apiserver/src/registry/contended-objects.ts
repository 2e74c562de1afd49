/**
 * Turns at objects that several clients change at once, each by reading the object and writing it on condition that it is still the same. Of all that have read one
 * version only one can write, so that N clients need N tries each. After a write was refused for its version, reads of the object are therefore answered one after
 * another: the next one when the one before has written, or has had its time for that. Who reads without writing ends it, until the next write is refused.
 */
import type { Clock, Timer } from "@coxswain/machinery";

/** From a read to the write that follows it: enough for clients nearby. Milliseconds. */
const turnMs = 20;
/** For how long after the last turn the next reader has one. Milliseconds. */
const lingerMs = 100;
/** How many reads of one object wait; more are answered at once. */
const maxWaiting = 256;
/** With so many objects, those in which nobody has a turn are looked for. */
const maxObjects = 64;

interface Waiting {
  readonly answer: () => void;
  /** Monotonic milliseconds, as all times here. */
  readonly since: number;
}

interface Contention {
  /** Since when a reader has had its turn; undefined while nobody has one. */
  turnSince: number | undefined;
  /** When it is over, as long as nobody has a turn. */
  until: number;
  readonly waiting: Waiting[];
  timer: Timer | undefined;
}

export interface ContendedObjectsOptions {
  readonly clock: Pick<Clock, "monotonic" | "schedule">;
  /** How long a read waits for its turn at most. Milliseconds. */
  readonly maxWaitMs: number;
}

/** By their keys in the store. */
export class ContendedObjects {
  readonly #options: ContendedObjectsOptions;
  readonly #objects = new Map<string, Contention>();

  constructor(options: ContendedObjectsOptions) {
    this.#options = options;
  }

  /** How many objects are known to be contended. */
  get size(): number {
    return this.#objects.size;
  }

  /** A write was refused: the object is not any more as its writer had read it. */
  noteRefused(key: string): void {
    if (this.#objects.has(key)) return;
    const now = this.#options.clock.monotonic();
    if (this.#objects.size >= maxObjects) this.#forget(now);
    this.#objects.set(key, { turnSince: undefined, until: now + lingerMs, waiting: [], timer: undefined });
  }

  /** A write has ended otherwise: it is the next reader's turn. */
  noteWritten(key: string): void {
    const contention = this.#objects.get(key);
    if (contention !== undefined) pass(contention, this.#options.clock.monotonic());
  }

  /** Before a read of the newest version: resolves when it is its turn. Undefined where it need not wait. */
  turnAt(key: string): Promise<void> | undefined {
    const contention = this.#objects.get(key);
    if (contention === undefined) return undefined;
    const now = this.#options.clock.monotonic();
    if (contention.waiting.length === 0 && isOver(contention, now)) this.#objects.delete(key);
    else if (contention.turnSince === undefined) contention.turnSince = now;
    else if (contention.waiting.length < maxWaiting) return this.#wait(key, contention, now);
    return undefined;
  }

  #wait(key: string, contention: Contention, now: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    contention.waiting.push({ answer: resolve, since: now });
    if (contention.timer === undefined) this.#schedule(key, contention, now);
    return promise;
  }

  /** Looks again when the turn, or the wait of who has waited longest, is to end. */
  #schedule(key: string, contention: Contention, now: number): void {
    const { clock, maxWaitMs } = this.#options;
    const { turnSince = now, waiting } = contention;
    const due = Math.min(turnSince + turnMs, (waiting[0]?.since ?? now) + maxWaitMs);
    contention.timer = clock.schedule(Math.max(1, due - now), () => this.#onTime(key, contention));
    contention.timer.unref();
  }

  #onTime(key: string, contention: Contention): void {
    const { clock, maxWaitMs } = this.#options;
    const { waiting } = contention;
    const now = clock.monotonic();
    contention.timer = undefined;
    const ends = isOver(contention, now);
    if (ends) this.#objects.delete(key);
    while (waiting.length > 0 && (ends || now - (waiting[0]?.since ?? now) >= maxWaitMs)) waiting.shift()?.answer();
    if (waiting.length > 0) this.#schedule(key, contention, now);
  }

  #forget(now: number): void {
    for (const [key, contention] of this.#objects)
      if (contention.waiting.length === 0 && isOver(contention, now)) this.#objects.delete(key);
  }
}

const isOver = ({ turnSince, until }: Contention, now: number): boolean =>
  turnSince === undefined ? now >= until : now - turnSince >= turnMs;

function pass(contention: Contention, now: number): void {
  const next = contention.waiting.shift();
  contention.turnSince = next === undefined ? undefined : now;
  contention.until = now + lingerMs;
  next?.answer();
}
