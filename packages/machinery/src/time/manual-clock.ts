/** A clock that stands still until a test advances it. */
import type { Clock, Timer } from "./clock.ts";

interface Pending {
  readonly at: number;
  /** Of timers due at the same moment the one set first comes first. */
  readonly turn: number;
  readonly fn: () => void;
  /** Something waits for it; otherwise it is only upkeep, for which no process would stay alive. */
  wanted: boolean;
  cancelled: boolean;
}

/** A clock for tests, which stands still until it is advanced. Timers run in the order in which they are due. */
export class ManualClock implements Clock {
  #now: number;
  readonly #start: number;
  /** A binary heap, the first one due on top. Cancelled ones stay until they come up, or are most of it. */
  #pending: Pending[] = [];
  #turn = 0;
  #waiting = 0;
  #wanted = 0;

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
    const pending: Pending = { at: this.#now + Math.max(0, afterMs), turn: this.#turn++, fn, wanted: true, cancelled: false };
    this.#waiting++;
    this.#wanted++;
    this.#push(pending);
    return { unref: () => this.#unwant(pending), [Symbol.dispose]: () => this.#cancel(pending) };
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many of them are waited for: those that were not let go with `unref`. */
  get wanted(): number {
    return this.#wanted;
  }

  /** When the next timer is due; milliseconds since the epoch. */
  get due(): number | undefined {
    return this.#first()?.at;
  }

  /** Lets time pass; what falls due runs in order, each at its own moment, and what it schedules may run too. */
  advance(ms: number): void {
    const end = this.#now + ms;
    while (this.step(end));
    this.#now = end;
  }

  /** Goes to the next timer that is due by then and runs it; false, with nothing changed, when there is none. */
  step(until = Number.POSITIVE_INFINITY): boolean {
    const next = this.#first();
    if (next === undefined || next.at > until) return false;
    this.#pop();
    this.#now = Math.max(this.#now, next.at);
    this.#cancel(next);
    next.fn();
    return true;
  }

  #first(): Pending | undefined {
    while (this.#pending[0]?.cancelled === true) this.#pop();
    return this.#pending[0];
  }

  #cancel(pending: Pending): void {
    if (pending.cancelled) return;
    this.#unwant(pending);
    pending.cancelled = true;
    this.#waiting--;
    if (this.#pending.length > 64 && this.#pending.length > this.#waiting * 2) this.#rebuild();
  }

  #unwant(pending: Pending): void {
    if (pending.cancelled || !pending.wanted) return;
    pending.wanted = false;
    this.#wanted--;
  }

  /** Without the cancelled ones. What is sorted is a heap. */
  #rebuild(): void {
    this.#pending = this.#pending.filter(({ cancelled }) => !cancelled).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  #push(pending: Pending): void {
    const heap = this.#pending;
    let at = heap.push(pending) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, pending)) break;
      heap[at] = parent;
      heap[above] = pending;
      at = above;
    }
  }

  #pop(): void {
    const heap = this.#pending;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      if (left === undefined) return;
      const below = right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
      const child = below === 2 * at + 1 ? left : right;
      if (child === undefined || isBefore(last, child)) return;
      heap[at] = child;
      heap[below] = last;
      at = below;
    }
  }
}

const isBefore = (a: Pending, b: Pending): boolean => a.at < b.at || (a.at === b.at && a.turn < b.turn);
