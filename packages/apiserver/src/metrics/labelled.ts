/** What is counted and timed by labels. */
import type { Histogram, MetricLabels } from "@coxswain/machinery";

/** A number for each combination of labels. */
export class LabelledCounts<L extends object> {
  readonly #counts = new Map<string, { readonly labels: L; count: number }>();

  get size(): number {
    return this.#counts.size;
  }

  add(labels: L): void {
    const key = JSON.stringify(labels);
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, count: 1 });
    else known.count++;
  }

  [Symbol.iterator](): Iterator<{ readonly labels: L; readonly count: number }> {
    return this.#counts.values();
  }
}

/** A histogram for each combination of labels. */
export class LabelledTimes<L extends object> {
  readonly #make: () => Histogram;
  readonly #times = new Map<string, { readonly labels: L; readonly seconds: Histogram }>();

  constructor(make: () => Histogram) {
    this.#make = make;
  }

  get size(): number {
    return this.#times.size;
  }

  observe(labels: L, seconds: number): void {
    const key = JSON.stringify(labels);
    const known = this.#times.get(key) ?? { labels, seconds: this.#make() };
    this.#times.set(key, known);
    known.seconds.observe(seconds);
  }

  [Symbol.iterator](): Iterator<{ readonly labels: L; readonly seconds: Histogram }> {
    return this.#times.values();
  }
}

export const valuesOf = <L extends MetricLabels>(counts: LabelledCounts<L>) =>
  [...counts].map(({ labels, count }) => [labels, count] as const);

export const timesOf = <L extends MetricLabels>(times: LabelledTimes<L>) =>
  [...times].map(({ labels, seconds }) => [labels, seconds] as const);
