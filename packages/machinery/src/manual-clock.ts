/** A clock that stands still until it is told to go on: time for tests. */
import type { Clock, Timer } from "./clock.ts";

interface Pending {
  readonly at: number;
  readonly fn: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  readonly #start: number;
  readonly #pending = new Set<Pending>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
    this.#start = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  schedule(afterMs: number, fn: () => void): Timer {
    const pending = { at: this.#now + Math.max(0, afterMs), fn };
    this.#pending.add(pending);
    return { unref: () => undefined, [Symbol.dispose]: () => void this.#pending.delete(pending) };
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Lets time pass; what falls due runs in order, each at its own moment, and what it schedules may run too. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#pending.delete(next);
      this.#now = next.at;
      next.fn();
    }
    this.#now = end;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) if (pending.at <= end && (first === undefined || pending.at < first.at)) first = pending;
    return first;
  }
}
