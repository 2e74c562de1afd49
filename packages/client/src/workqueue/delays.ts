/** What is to happen later, with one timer for all of it. */
import type { Clock, Timer } from "@coxswain/machinery";

interface Entry<T> {
  readonly value: T;
  due: number;
  /** Where it stands in the heap. */
  at: number;
}

/** Each value waits once: of several delays the one that ends first counts. */
export class Delays<T> {
  readonly #clock: Clock;
  readonly #onDue: (value: T) => void;
  /** A binary heap: no entry is due before its parent. */
  readonly #heap: Entry<T>[] = [];
  readonly #entries = new Map<T, Entry<T>>();
  #timer: Timer | undefined;
  #timerDue = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (value: T) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.length;
  }

  add(value: T, afterMs: number): void {
    const due = this.#clock.monotonic() + afterMs;
    const known = this.#entries.get(value);
    if (known !== undefined && known.due <= due) return;
    const entry = known ?? { value, due, at: this.#heap.length };
    entry.due = due;
    if (known === undefined) this.#entries.set(value, entry);
    this.#rise(entry);
    this.#arm();
  }

  clear(): void {
    this.#heap.length = 0;
    this.#entries.clear();
    this.#arm();
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerDue = Number.POSITIVE_INFINITY;
    for (let first = this.#heap[0]; first !== undefined && first.due <= this.#clock.monotonic(); first = this.#heap[0]) {
      this.#removeFirst();
      this.#onDue(first.value);
    }
    this.#arm();
  }

  /** Timers may come early, or be for longer than the clock can wait: what is not yet due is waited for again. */
  #arm(): void {
    const due = this.#heap[0]?.due ?? Number.POSITIVE_INFINITY;
    if (due === this.#timerDue) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerDue = due;
    if (due === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.schedule(Math.max(1, due - this.#clock.monotonic()), () => this.#fire());
  }

  #removeFirst(): void {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return;
    this.#entries.delete(first.value);
    if (first === last) return;
    this.#sink(last);
  }

  /** Moves the entry from its place up to where it belongs. */
  #rise(entry: Entry<T>): void {
    let at = entry.at;
    while (at > 0) {
      const parent = this.#heap[(at - 1) >> 1];
      if (parent === undefined || parent.due <= entry.due) break;
      this.#put(parent, at);
      at = (at - 1) >> 1;
    }
    this.#put(entry, at);
  }

  /** Moves the entry from the top down to where it belongs. */
  #sink(entry: Entry<T>): void {
    let at = 0;
    for (;;) {
      const left = this.#heap[2 * at + 1];
      const right = this.#heap[2 * at + 2];
      const child = right !== undefined && left !== undefined && right.due < left.due ? right : left;
      if (child === undefined || child.due >= entry.due) break;
      const below = child.at;
      this.#put(child, at);
      at = below;
    }
    this.#put(entry, at);
  }

  #put(entry: Entry<T>, at: number): void {
    this.#heap[at] = entry;
    entry.at = at;
  }
}
