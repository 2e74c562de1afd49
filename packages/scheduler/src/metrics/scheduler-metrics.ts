/** The scheduler's figures, under kube-scheduler's names. */
import type { Clock, Counter, Histogram, MetricLabels, MetricsRegistry } from "@coxswain/client";
import type { Status } from "../framework/status.ts";

export type AttemptResult = "scheduled" | "unschedulable" | "error";

const doubling = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i);
const seconds = doubling(0.001, 15);
const shortSeconds = doubling(0.0001, 12);

interface HistogramSpec {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, in seconds. */
  readonly buckets: readonly number[];
}

const attemptDuration: HistogramSpec = {
  name: "scheduler_scheduling_attempt_duration_seconds",
  help: "Time of an attempt, binding included",
  buckets: seconds,
};
const sliDuration: HistogramSpec = {
  name: "scheduler_pod_scheduling_sli_duration_seconds",
  help: "Time from the queue to the node",
  buckets: doubling(0.01, 20),
};
const eventDuration: HistogramSpec = {
  name: "scheduler_event_handling_duration_seconds",
  help: "Time to take in an event",
  buckets: shortSeconds,
};
const extensionPointDuration: HistogramSpec = {
  name: "scheduler_framework_extension_point_duration_seconds",
  help: "Time of all plugins at an extension point",
  buckets: shortSeconds,
};
const permitWaitDuration: HistogramSpec = {
  name: "scheduler_permit_wait_duration_seconds",
  help: "Time that Pods waited for leave",
  buckets: seconds,
};

const succeeded = (): string => "Success";

/** As kube-scheduler names what plugins say. */
export const statusLabel = (said: Status | string | undefined): string =>
  said === undefined || typeof said === "string" ? "Success" : said.code;

export class SchedulerMetrics {
  readonly #registry: MetricsRegistry;
  readonly #clock: Clock;
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #unschedulable = new Map<string, number>();
  readonly #attempts: Histogram;
  readonly #algorithm: Histogram;

  constructor(registry: MetricsRegistry, clock: Clock) {
    this.#clock = clock;
    this.#registry = registry;
    this.#algorithm = registry.histogram("scheduler_scheduling_algorithm_duration_seconds", "Time to choose a node", {}, seconds);
    this.#attempts = registry.histogram("scheduler_pod_scheduling_attempts", "Attempts that it took to place a Pod", {}, doubling(1, 5));
  }

  /** An attempt has ended, binding included. */
  attempted(result: AttemptResult, profile: string, tookMs: number): void {
    const labels = { result, profile };
    this.#count("scheduler_schedule_attempts_total", "Attempts to place a Pod, by result", labels, `${result} ${profile}`);
    this.#observe(attemptDuration, labels, `${result} ${profile}`, tookMs / 1000);
  }

  chosen(tookMs: number): void {
    this.#algorithm.observe(tookMs / 1000);
  }

  /** A Pod is bound; `sinceMs` counts from when it was first to be tried. */
  placed(attempts: number, sinceMs: number): void {
    this.#attempts.observe(attempts);
    const label = attempts >= 15 ? "15+" : String(attempts);
    this.#observe(sliDuration, { attempts: label }, label, sinceMs / 1000);
  }

  placedAfterFlush(): void {
    this.#count("scheduler_pod_scheduled_after_flush_total", "Pods placed that no event had brought back", {}, "");
  }

  queued(queue: "active" | "backoff" | "unschedulable", event: string): void {
    const name = "scheduler_queue_incoming_pods_total";
    this.#count(name, "Pods that came into a queue, by event", { queue, event }, `${queue} ${event}`);
  }

  /** How many Pods wait because of a plugin. */
  unschedulable(plugin: string, profile: string, by: 1 | -1): void {
    const key = `${plugin} ${profile}`;
    const count = (this.#unschedulable.get(key) ?? 0) + by;
    this.#unschedulable.set(key, count);
    this.#registry.gauge("scheduler_unschedulable_pods", "Pods that wait, by what refused them", { plugin, profile }).set(count);
  }

  handled(event: string, tookMs: number): void {
    this.#observe(eventDuration, { event }, event, tookMs / 1000);
  }

  /** Times what the plugins of a profile do at an extension point; `statusOf` a result, where it need not be a success. */
  timed<T>(point: string, profile: string, run: () => T, statusOf: (result: T) => string = succeeded): T {
    const since = this.#clock.monotonic();
    let status = "Error";
    try {
      const result = run();
      status = statusOf(result);
      return result;
    } finally {
      this.#extensionPoint(point, status, profile, since);
    }
  }

  async timedAsync<T>(point: string, profile: string, run: () => Promise<T>, statusOf: (result: T) => string = succeeded): Promise<T> {
    const since = this.#clock.monotonic();
    let status = "Error";
    try {
      const result = await run();
      status = statusOf(result);
      return result;
    } finally {
      this.#extensionPoint(point, status, profile, since);
    }
  }

  #extensionPoint(extension_point: string, status: string, profile: string, since: number): void {
    const key = `${extension_point} ${status} ${profile}`;
    const labels = { extension_point, status, profile };
    const tookMs = this.#clock.monotonic() - since;
    this.#observe(extensionPointDuration, labels, key, tookMs / 1000);
  }

  permitted(result: string, waitedMs: number): void {
    this.#observe(permitWaitDuration, { result }, result, waitedMs / 1000);
  }

  /** Read at each scrape. */
  gauge(name: string, help: string, labels: MetricLabels, read: () => number): Disposable {
    return this.#registry.gaugeOf(name, help, labels, read);
  }

  #count(name: string, help: string, labels: MetricLabels, key: string): void {
    const at = `${name} ${key}`;
    let counter = this.#counters.get(at);
    if (counter === undefined) {
      counter = this.#registry.counter(name, help, labels);
      this.#counters.set(at, counter);
    }
    counter.add();
  }

  #observe({ name, help, buckets }: HistogramSpec, labels: MetricLabels, key: string, value: number): void {
    const at = `${name} ${key}`;
    let histogram = this.#histograms.get(at);
    if (histogram === undefined) {
      histogram = this.#registry.histogram(name, help, labels, buckets);
      this.#histograms.set(at, histogram);
    }
    histogram.observe(value);
  }
}
