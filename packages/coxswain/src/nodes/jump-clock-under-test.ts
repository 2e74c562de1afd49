/** The system's clock, but some time ago or ahead, which can jump: as on a machine that was asleep. */
import { type Clock, systemClock, type Timer } from "@coxswain/machinery";

interface Waiting {
  /** Monotonic milliseconds. */
  readonly due: number;
  readonly timer: Timer;
  readonly fn: () => void;
}

export class JumpClock implements Clock {
  readonly #waiting = new Set<Waiting>();
  /** Of its calendar from the system's. Milliseconds. */
  #calendarOffset: number;
  #jumped = 0;

  /** @param offsetMs how far it is ahead of the system's calendar */
  constructor(offsetMs: number) {
    this.#calendarOffset = offsetMs;
  }

  now(): number {
    return systemClock.now() + this.#calendarOffset;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#jumped;
  }

  schedule(afterMs: number, fn: () => void): Timer {
    const timer = systemClock.schedule(afterMs, () => {
      this.#waiting.delete(waiting);
      fn();
    });
    const waiting: Waiting = { due: this.monotonic() + afterMs, timer, fn };
    this.#waiting.add(waiting);
    return {
      unref: () => timer.unref(),
      [Symbol.dispose]: () => {
        this.#waiting.delete(waiting);
        timer[Symbol.dispose]();
      },
    };
  }

  /** What is due by then runs once, in its order; what that schedules waits for its own time. */
  async jump(ms: number): Promise<void> {
    this.#calendarOffset += ms;
    this.#jumped += ms;
    const now = this.monotonic();
    const due = [...this.#waiting].filter((waiting) => waiting.due <= now).sort((a, b) => a.due - b.due);
    for (const waiting of due) {
      if (!this.#waiting.delete(waiting)) continue;
      waiting.timer[Symbol.dispose]();
      waiting.fn();
    }
    // Until what was waked has had its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
