/** How often a value fell into which range. */
export class Histogram {
  count = 0;
  sum = 0;
  readonly #bounds: readonly number[];
  readonly #counts: number[];

  /** `bounds` are the ranges' upper ends, inclusive, rising. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length).fill(0);
  }

  observe(value: number): void {
    this.count++;
    this.sum += value;
    const at = firstNotBelow(this.#bounds, value);
    const before = this.#counts[at];
    if (before !== undefined) this.#counts[at] = before + 1;
  }

  /** Each range with all below it, as Prometheus counts; the last is infinite. */
  cumulative(): { readonly upTo: number; readonly count: number }[] {
    let count = 0;
    const ranges = this.#bounds.map((upTo, i) => {
      count += this.#counts[i] ?? 0;
      return { upTo, count };
    });
    return [...ranges, { upTo: Number.POSITIVE_INFINITY, count: this.count }];
  }
}

function firstNotBelow(bounds: readonly number[], value: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle] ?? value) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
