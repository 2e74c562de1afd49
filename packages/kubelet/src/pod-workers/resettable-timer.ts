/** One timer that is set anew again and again. */
import type { Clock, Timer } from "@coxswain/machinery";

export class ResettableTimer implements Disposable {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: Timer | undefined;
  #time = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Milliseconds since the epoch; undefined: never. What was set before is forgotten. */
  set(time: number | undefined): void {
    this.#timer?.[Symbol.dispose]();
    this.#time = time ?? Number.POSITIVE_INFINITY;
    this.#timer = time === undefined ? undefined : this.#clock.schedule(Math.max(0, time - this.#clock.now()), () => this.#due());
  }

  /** Then at the latest. */
  setBy(time: number): void {
    if (time < this.#time) this.set(time);
  }

  [Symbol.dispose](): void {
    this.set(undefined);
  }

  #due(): void {
    this.#timer = undefined;
    this.#time = Number.POSITIVE_INFINITY;
    this.#ring();
  }
}
