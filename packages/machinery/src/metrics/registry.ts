/**
 * Counters, gauges and histograms, printed in Prometheus' text format. Counting is an addition on a plain number.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import { Histogram } from "./histogram.ts";

/** Labels of a series, by name. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The content type of what `text` returns. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** A number that only grows. */
export interface Counter {
  /** Adds one, or `by`, which is never negative. */
  add(by?: number): void;
}

/** A number that is set. */
export interface Gauge {
  /** Replaces the value. */
  set(value: number): void;
}

/** What Prometheus calls the kind of a metric. */
export type MetricType = "counter" | "gauge" | "histogram";

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly series: Map<string, Series>;
  /** Whether name and help are printed while there is no series. */
  declared: boolean;
}

type Series = Amount | Histogram;

class Amount implements Counter, Gauge {
  value = 0;
  /** Called instead of reading `value`, where the number is known at any time. */
  read: (() => number) | undefined;

  add(by = 1): void {
    this.value += by;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** The metrics of a process or of a part of it. Asking for a series of the same name and labels again returns the same one. */
export class MetricsRegistry {
  readonly #families = new Map<string, Family>();

  /** Returns the counter of this name and these labels. @throws TypeError when the name is of another type */
  counter(name: string, help: string, labels: MetricLabels = {}): Counter {
    return this.#amount(this.#family("counter", name, help), labels);
  }

  /** Returns the gauge of this name and these labels. @throws TypeError when the name is of another type */
  gauge(name: string, help: string, labels: MetricLabels = {}): Gauge {
    return this.#amount(this.#family("gauge", name, help), labels);
  }

  /** A gauge that is read at each scrape; disposing removes it. */
  gaugeOf(name: string, help: string, labels: MetricLabels, read: () => number): Disposable {
    const amount = this.#amount(this.#family("gauge", name, help), labels);
    amount.read = read;
    return {
      [Symbol.dispose]: () => {
        if (amount.read === read) this.#families.get(name)?.series.delete(labelText(labels));
      },
    };
  }

  /** Returns the histogram of this name and these labels. `buckets` are the upper bounds, rising. @throws TypeError when the name is of another type */
  histogram(name: string, help: string, labels: MetricLabels, buckets: readonly number[]): Histogram {
    return this.#histogram(this.#family("histogram", name, help), labels, () => new Histogram(buckets));
  }

  /** Prints a histogram that is fed elsewhere. @throws TypeError when the name is of another type */
  addHistogram(name: string, help: string, labels: MetricLabels, histogram: Histogram): void {
    this.#histogram(this.#family("histogram", name, help), labels, () => histogram);
  }

  /** From now on its name and help are printed also while there is no series. @throws TypeError when the name is of another type */
  declare(type: MetricType, name: string, help: string): void {
    this.#family(type, name, help).declared = true;
  }

  /** What it counts is no more: without it, series of what comes and goes would be kept for ever. */
  remove(name: string, labels: MetricLabels): void {
    this.#families.get(name)?.series.delete(labelText(labels));
  }

  /** Everything, as `text/plain; version=0.0.4`. */
  text(): string {
    const lines: string[] = [];
    for (const { name, help, type, series, declared } of this.#families.values()) {
      if (series.size === 0 && !declared) continue;
      lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
      for (const [labels, one] of series) lines.push(...linesOf(name, labels, one));
    }
    return lines.map((line) => `${line}\n`).join("");
  }

  #amount(family: Family, labels: MetricLabels): Amount {
    const series = seriesOf(family, labels, () => new Amount());
    if (!(series instanceof Amount)) throw new TypeError(`${family.name} is a histogram`);
    return series;
  }

  #histogram(family: Family, labels: MetricLabels, create: () => Histogram): Histogram {
    const series = seriesOf(family, labels, create);
    if (!(series instanceof Histogram)) throw new TypeError(`${family.name} is no histogram`);
    return series;
  }

  #family(type: MetricType, name: string, help: string): Family {
    const family = this.#families.get(name) ?? { name, help, type, series: new Map<string, Series>(), declared: false };
    if (family.type !== type) throw new TypeError(`${name} is a ${family.type}, not a ${type}`);
    this.#families.set(name, family);
    return family;
  }
}

function seriesOf(family: Family, labels: MetricLabels, create: () => Series): Series {
  const key = labelText(labels);
  const series = family.series.get(key) ?? create();
  family.series.set(key, series);
  return series;
}

function linesOf(name: string, labels: string, series: Series): string[] {
  if (series instanceof Amount) return [`${name}${braced(labels)} ${numberText(series.read?.() ?? series.value)}`];
  const prefix = labels === "" ? "" : `${labels},`;
  return [
    ...series.cumulative().map(({ upTo, count }) => `${name}_bucket{${prefix}le="${numberText(upTo)}"} ${count}`),
    `${name}_sum${braced(labels)} ${numberText(series.sum)}`,
    `${name}_count${braced(labels)} ${series.count}`,
  ];
}

const braced = (labels: string): string => (labels === "" ? "" : `{${labels}}`);

const labelText = (labels: MetricLabels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}
