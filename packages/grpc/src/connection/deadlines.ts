import type { Clock, Timer } from "@coxswain/machinery";

export interface Expiring {
  /** Monotonic milliseconds. */
  readonly deadline: number;
  /** Called once, unless it was removed before. */
  expire(): void;
}

/** Deadlines of calls, which mostly have their answer long before: those that may take equally long share a timer. */
export class Deadlines implements Disposable {
  readonly #clock: Clock;
  readonly #queues = new Map<number, Queue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param afterMs the deadline is so long from now */
  add(expiring: Expiring, afterMs: number): void {
    let queue = this.#queues.get(afterMs);
    if (queue === undefined) {
      queue = { waiting: new Set(), timer: undefined };
      this.#queues.set(afterMs, queue);
      this.#wait(queue, afterMs, afterMs);
    }
    queue.waiting.add(expiring);
  }

  remove(expiring: Expiring, afterMs: number): void {
    this.#queues.get(afterMs)?.waiting.delete(expiring);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#queues.values()) timer?.[Symbol.dispose]();
    this.#queues.clear();
  }

  #wait(queue: Queue, afterMs: number, ms: number): void {
    queue.timer = this.#clock.schedule(ms, () => this.#expire(queue, afterMs));
    // It outlasts the calls; what holds the process is their connection.
    queue.timer.unref();
  }

  /** Those whose time is over: they were added in the order of their deadlines. */
  #expire(queue: Queue, afterMs: number): void {
    const now = this.#clock.monotonic();
    const late: Expiring[] = [];
    let next: Expiring | undefined;
    for (const expiring of queue.waiting) {
      if (expiring.deadline > now) {
        next = expiring;
        break;
      }
      late.push(expiring);
      queue.waiting.delete(expiring);
    }
    if (next === undefined) this.#queues.delete(afterMs);
    else this.#wait(queue, afterMs, next.deadline - now);
    for (const expiring of late) expiring.expire();
  }
}

interface Queue {
  readonly waiting: Set<Expiring>;
  timer: Timer | undefined;
}
