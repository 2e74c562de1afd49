/** How often a value fell into which range. Observing costs a comparison or two where values are small, as durations are. */
export class Histogram {
  /** The upper ends of the ranges, inclusive, rising. */
  readonly bounds: readonly number[];
  /** The sum of all values. */
  sum = 0;
  /** One for each bound and one for what exceeds all; not yet added up. */
  readonly #counts: Float64Array;

  /** `bounds` are the ranges' upper ends, inclusive, rising; the range above the last one is infinite. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** How many values were observed. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Counts one value. */
  observe(value: number): void {
    const { bounds } = this;
    const counts = this.#counts;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }

  /** Each range with all below it, as Prometheus counts; the last is infinite. */
  cumulative(): { readonly upTo: number; readonly count: number }[] {
    let count = 0;
    return Array.from(this.#counts, (own, at) => {
      count += own;
      return { upTo: this.bounds[at] ?? Number.POSITIVE_INFINITY, count };
    });
  }
}
