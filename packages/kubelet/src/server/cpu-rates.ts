interface Sample {
  readonly nanoseconds: number;
  /** Milliseconds. */
  readonly at: number;
  readonly rate: number | undefined;
}

/** Nearer to each other, two samples are too imprecise. Milliseconds. */
const shortestMs = 5_000;
const maxSamples = 20_000;

/** How fast processor time is used: from this request and an earlier one. */
export class CpuRates {
  readonly #samples = new Map<string, Sample>();

  /** Nanoseconds in each second; undefined the first time. `at` in milliseconds. */
  rateOf(id: string, nanoseconds: number, at: number): number | undefined {
    const before = this.#samples.get(id);
    if (before !== undefined && at - before.at < shortestMs && nanoseconds >= before.nanoseconds) return before.rate;
    const known = before !== undefined && nanoseconds >= before.nanoseconds && at > before.at;
    const rate = known ? Math.round(((nanoseconds - before.nanoseconds) * 1000) / (at - before.at)) : undefined;
    // Those that are asked for stay at the end.
    this.#samples.delete(id);
    this.#samples.set(id, { nanoseconds, at, rate });
    const [oldest] = this.#samples.keys();
    if (this.#samples.size > maxSamples && oldest !== undefined) this.#samples.delete(oldest);
    return rate;
  }
}
