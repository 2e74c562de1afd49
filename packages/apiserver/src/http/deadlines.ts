/** Ends what takes too long, for the price of one timer for all of it. */
import type { Clock, Timer } from "@coxswain/machinery";
import { type Linked, LinkedSet } from "./linked-set.ts";

export interface Deadline {
  cancel(): void;
}

/** All deadlines are equally far away, so they come up in the order in which they were set. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #keepsTimer: boolean;
  readonly #waiting = new LinkedSet<Waiting>();
  #timer: Timer | undefined;
  #onIdle: (() => void) | undefined;

  /** @param options `keepsTimer`: the timer stays when nothing has a deadline any more, for what comes next; default: true */
  constructor(clock: Clock, afterMs: number, { keepsTimer = true }: { readonly keepsTimer?: boolean } = {}) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#keepsTimer = keepsTimer;
  }

  /** Calls `expire` once, unless cancelled before. */
  set(expire: () => void): Deadline {
    const waiting = new Waiting(this, this.#clock.monotonic() + this.#afterMs, expire);
    this.#waiting.add(waiting);
    if (this.#timer === undefined) this.#schedule(this.#afterMs);
    return waiting;
  }

  remove(waiting: Waiting): void {
    if (waiting.expire === undefined) return;
    waiting.expire = undefined;
    this.#waiting.delete(waiting);
    if (this.#waiting.size > 0) return;
    this.#onIdle?.();
    if (this.#keepsTimer) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Resolves once nothing is left that has a deadline. To be asked once. */
  idle(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #schedule(inMs: number): void {
    this.#timer = this.#clock.schedule(inMs, () => {
      this.#timer = undefined;
      this.#expire(this.#clock.monotonic());
    });
    this.#timer.unref();
  }

  #expire(now: number): void {
    for (let first = this.#waiting.first; first !== undefined; first = this.#waiting.first) {
      if (first.due > now) {
        if (this.#timer === undefined) this.#schedule(first.due - now);
        return;
      }
      const { expire } = first;
      first.cancel();
      expire?.();
    }
  }
}

class Waiting implements Deadline, Linked<Waiting> {
  /** Monotonic milliseconds. */
  readonly due: number;
  /** Undefined once it is over: who keeps the deadline for longer keeps nothing that it is for. */
  expire: (() => void) | undefined;
  previous: Waiting | undefined;
  next: Waiting | undefined;
  readonly #among: Deadlines;

  constructor(among: Deadlines, due: number, expire: () => void) {
    this.#among = among;
    this.due = due;
    this.expire = expire;
  }

  cancel(): void {
    this.#among.remove(this);
  }
}
