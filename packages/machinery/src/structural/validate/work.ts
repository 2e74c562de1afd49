/**
 * What checking one object may cost. Patterns take time for each character and instruction, alternatives for each of them
 * and each value: without a bound, a small definition and a large object could keep the server busy for minutes.
 */
export class Work {
  #left = most;

  /** A unit is about ten nanoseconds. @throws TooMuchWork */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork();
  }
}

const most = 30_000_000;

/** Telling what is wrong with a value takes longer than telling that something is. */
export const workOfAlternative = { accepts: 50, explain: 300 };

export class TooMuchWork extends Error {}
