/** How many seats a priority level could have used, over time: what borrowing is decided by. */

/** Of one period. Time-weighted. */
export interface DemandStats {
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
}

/** By which the smoothed demand falls in a period in which there is none: half of it in five minutes. */
const smoothing = 0.977;

/** Integrates a number of seats over time. */
export class SeatDemand {
  #seats = 0;
  #max = 0;
  #since: number;
  #at: number;
  #sum = 0;
  #squares = 0;
  /** Falls slowly, rises at once. */
  smoothed = 0;
  last: DemandStats = { highWatermark: 0, average: 0, deviation: 0 };

  /** @param now monotonic milliseconds, as everywhere here */
  constructor(now: number) {
    this.#since = now;
    this.#at = now;
  }

  set(seats: number, now: number): void {
    this.#advance(now);
    this.#seats = seats;
    if (seats > this.#max) this.#max = seats;
  }

  /** Ends a period, or as many as nobody has asked for, and begins the next one. */
  endPeriod(now: number, periods = 1): void {
    this.#advance(now);
    const elapsed = now - this.#since;
    const max = this.#max;
    this.#max = this.#seats;
    if (elapsed <= 0) {
      this.last = { ...this.last, highWatermark: max };
      return;
    }
    const average = this.#sum / elapsed;
    const deviation = Math.sqrt(Math.max(0, this.#squares / elapsed - average * average));
    this.last = { highWatermark: max, average, deviation };
    const envelope = average + deviation;
    const kept = smoothing ** periods;
    this.smoothed = Math.max(envelope, kept * this.smoothed + (1 - kept) * envelope);
    this.#since = now;
    this.#sum = 0;
    this.#squares = 0;
  }

  #advance(now: number): void {
    const elapsed = now - this.#at;
    if (elapsed <= 0) return;
    this.#at = now;
    this.#sum += this.#seats * elapsed;
    this.#squares += this.#seats * this.#seats * elapsed;
  }
}
