/**
 * Counters, gauges and histograms, told in Prometheus' text format. Counting is an addition on a plain number.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import { Histogram } from "./histogram.ts";

/** Labels of a series, by name. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A number that only grows. */
export interface Counter {
  /** One unless told; never less than nothing. */
  add(by?: number): void;
}

/** A number that is set. */
export interface Gauge {
  set(value: number): void;
}

type Type = "counter" | "gauge" | "histogram";

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: Type;
  readonly series: Map<string, Series>;
}

type Series = Amount | Histogram;

class Amount implements Counter, Gauge {
  value = 0;
  /** Asked instead of `value` where somebody knows the number at any time. */
  read: (() => number) | undefined;

  add(by = 1): void {
    this.value += by;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** Whoever asks for a series of the same name and labels again gets the same one. */
export class MetricsRegistry {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string, labels: MetricLabels = {}): Counter {
    return this.#amount("counter", name, help, labels);
  }

  gauge(name: string, help: string, labels: MetricLabels = {}): Gauge {
    return this.#amount("gauge", name, help, labels);
  }

  /** A gauge that is read when somebody asks; disposing takes it away. */
  gaugeOf(name: string, help: string, labels: MetricLabels, read: () => number): Disposable {
    const amount = this.#amount("gauge", name, help, labels);
    amount.read = read;
    return {
      [Symbol.dispose]: () => {
        if (amount.read === read) this.#families.get(name)?.series.delete(labelText(labels));
      },
    };
  }

  /** `buckets` are the upper bounds, rising. */
  histogram(name: string, help: string, labels: MetricLabels, buckets: readonly number[]): Histogram {
    const series = this.#series({ name, help, type: "histogram" }, labels, () => new Histogram(buckets));
    if (!(series instanceof Histogram)) throw new TypeError(`${name} is no histogram`);
    return series;
  }

  /** What it counts is no more: without it, series of what comes and goes would be kept for ever. */
  remove(name: string, labels: MetricLabels): void {
    this.#families.get(name)?.series.delete(labelText(labels));
  }

  /** Everything, as `text/plain; version=0.0.4`. */
  text(): string {
    const lines: string[] = [];
    for (const { name, help, type, series } of this.#families.values()) {
      if (series.size === 0) continue;
      lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
      for (const [labels, one] of series) lines.push(...linesOf(name, labels, one));
    }
    return lines.map((line) => `${line}\n`).join("");
  }

  #amount(type: Type, name: string, help: string, labels: MetricLabels): Amount {
    const series = this.#series({ name, help, type }, labels, () => new Amount());
    if (!(series instanceof Amount)) throw new TypeError(`${name} is a histogram`);
    return series;
  }

  #series({ name, help, type }: Omit<Family, "series">, labels: MetricLabels, create: () => Series): Series {
    const family = this.#families.get(name) ?? { name, help, type, series: new Map<string, Series>() };
    if (family.type !== type) throw new TypeError(`${name} is a ${family.type}, not a ${type}`);
    this.#families.set(name, family);
    const key = labelText(labels);
    const series = family.series.get(key) ?? create();
    family.series.set(key, series);
    return series;
  }
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
