/** One timer that is reset again and again. */
import type { Clock, Timer } from "@coxswain/machinery";

/** Times are milliseconds of the monotonic clock: setting the machine's calendar does not move them. */
export class ResettableTimer implements Disposable {
  readonly #clock: Clock;
  readonly #onFire: () => void;
  #timer: Timer | undefined;
  #time = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onFire: () => void) {
    this.#clock = clock;
    this.#onFire = onFire;
  }

  /** Undefined: never. What was set before is forgotten. */
  set(time: number | undefined): void {
    this.#timer?.[Symbol.dispose]();
    this.#time = time ?? Number.POSITIVE_INFINITY;
    this.#timer = time === undefined ? undefined : this.#clock.schedule(Math.max(0, time - this.#clock.monotonic()), () => this.#fire());
  }

  /** Then at the latest. */
  setBy(time: number): void {
    if (time < this.#time) this.set(time);
  }

  [Symbol.dispose](): void {
    this.set(undefined);
  }

  #fire(): void {
    this.#timer = undefined;
    this.#time = Number.POSITIVE_INFINITY;
    this.#onFire();
  }
}
