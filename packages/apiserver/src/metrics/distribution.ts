/** Counts of values by upper bounds: a histogram that costs a comparison or two to feed. */
export class Distribution {
  readonly bounds: readonly number[];
  /** One for each bound and one for what exceeds all; not yet added up. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }
}
