import type { Clock, Timer } from "@coxswain/machinery";

/** Calls a function at the earliest of the times that it was set to. */
export class ResettableTimer {
  readonly #clock: Clock;
  readonly #ring: (now: number) => void;
  #set: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, ring: (now: number) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Both in monotonic milliseconds. */
  set(at: number, now: number): void {
    if (this.#set !== undefined && this.#set.at <= at) return;
    this.cancel();
    const ring = (): void => {
      this.#set = undefined;
      this.#ring(this.#clock.monotonic());
    };
    this.#set = { at, timer: this.#clock.schedule(Math.max(0, at - now), ring) };
  }

  cancel(): void {
    this.#set?.timer[Symbol.dispose]();
    this.#set = undefined;
  }
}
