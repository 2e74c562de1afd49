/**
 * What Prometheus learns about the server, under Kubernetes' names. Counting is a few additions on plain numbers;
 * they become text when they are scraped.
 * @see https://kubernetes.io/docs/reference/instrumentation/metrics/
 */

import { mergeMetricsTexts } from "@coxswain/machinery";
import type { ConflictMetrics, WatchEventSeries, WatchMetrics } from "../contracts/metrics.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import { AccessSeries } from "./access.ts";
import { AdmissionWebhookSeries, type WebhookEvent } from "./admission-webhooks.ts";
import { AggregationSeries } from "./aggregation.ts";
import { AuditSeries } from "./audit.ts";
import { AuthorizationSeries } from "./authorization.ts";
import { ConversionSeries } from "./conversions.ts";
import { FlowControlSeries } from "./flow-control.ts";
import { KmsSeries } from "./kms.ts";
import { RequestSeries, requestLabels } from "./request-series.ts";

/** By which requests under way are counted: those that only read, and the others. */
export type InflightKind = "readOnly" | "mutating";

/** What the metric `kubernetes_build_info` says of the server. */
export interface BuildInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly platform: string;
}

/** Requests under way, and the most there were at a time since the last scrape. */
export interface Inflight {
  now: number;
  max: number;
}

/** What a server knows of itself before it counts. */
export interface MetricsOptions {
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly build?: BuildInfo;
  /** By which metrics tell the servers of a cluster apart. Default: empty. */
  readonly serverId?: string;
  /** Where calls of admission webhooks are counted elsewhere. */
  readonly onWebhook?: (event: WebhookEvent) => void;
}

/** All that a server counts about itself. */
export class Metrics implements WatchMetrics, ConflictMetrics {
  readonly build: BuildInfo | undefined;
  readonly serverId: string;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly inflight: Readonly<Record<InflightKind, Inflight>> = { readOnly: { now: 0, max: 0 }, mutating: { now: 0, max: 0 } };
  /** Events sent to watchers, by group, version and resource. */
  readonly watchEvents = new Map<string, WatchEventSeries>();
  readonly access = new AccessSeries();
  readonly conversions = new ConversionSeries();
  readonly admissionWebhooks = new AdmissionWebhookSeries();
  readonly aggregation = new AggregationSeries();
  readonly audit = new AuditSeries();
  readonly authorization = new AuthorizationSeries();
  readonly flowControl = new FlowControlSeries();
  readonly kms = new KmsSeries();
  tlsHandshakeErrors = 0;
  /** Conflicts reported, by the reason of what explains them first; empty for those that nothing explains. */
  readonly conflicts = new Map<string, number>();
  readonly #onWebhook: ((event: WebhookEvent) => void) | undefined;
  readonly #series = new Map<string, RequestSeries>();
  readonly #others = new Set<() => string | Promise<string>>();
  readonly #parts = new Set<() => Promise<string>>();

  constructor(options: MetricsOptions) {
    this.startedAt = options.startedAt;
    this.build = options.build;
    this.serverId = options.serverId ?? "";
    this.#onWebhook = options.onWebhook;
  }

  /** The series to record the answer in. What is not a known resource must come as a path: labels live forever. */
  requests(info: RequestInfo, { apply = false, dryRun = false } = {}): RequestSeries {
    const key = seriesKey(info, apply, dryRun);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const labels = requestLabels(info, apply);
    const canonical = `${Object.values(labels).join(" ")} ${dryRun}`;
    const series = this.#series.get(canonical) ?? new RequestSeries(labels, dryRun ? "All" : "");
    this.#series.set(canonical, series);
    if (info.kind === "resource") this.#series.set(key, series);
    return series;
  }

  /** Counts a request as under way; the caller calls `end` once it is answered. Watches are not counted here. */
  begin(kind: InflightKind): void {
    const inflight = this.inflight[kind];
    inflight.now++;
    if (inflight.now > inflight.max) inflight.max = inflight.now;
  }

  end(kind: InflightKind): void {
    this.inflight[kind].now--;
  }

  countWebhook(event: WebhookEvent): void {
    if (this.#onWebhook === undefined) this.admissionWebhooks.count(event);
    else this.#onWebhook(event);
  }

  countConflict(reason: string): void {
    this.conflicts.set(reason, (this.conflicts.get(reason) ?? 0) + 1);
  }

  /** Keep the answer: its `count` goes up with each event that is sent to a watcher. */
  watchEventsOf(group: string, version: string, resource: string): WatchEventSeries {
    const key = `${group}/${version}/${resource}`;
    const known = this.watchEvents.get(key);
    if (known !== undefined) return known;
    const series = { group, version, resource, count: 0 };
    this.watchEvents.set(key, series);
    return series;
  }

  get series(): ReadonlySet<RequestSeries> {
    return new Set(this.#series.values());
  }

  /** Other components of the process report their metrics here too, in Prometheus' text format, under names of its own. */
  include(text: () => string | Promise<string>): Disposable {
    this.#others.add(text);
    return { [Symbol.dispose]: () => void this.#others.delete(text) };
  }

  /** Another server of the process counts the same of what it does: `expose` of a part. */
  includePart(text: () => Promise<string>): Disposable {
    this.#parts.add(text);
    return { [Symbol.dispose]: () => void this.#parts.delete(text) };
  }

  partTexts(): Promise<readonly string[]> {
    return Promise.all(Array.from(this.#parts, (part) => part()));
  }

  /** What was included. */
  async includedText(): Promise<string> {
    return mergeMetricsTexts(await Promise.all(Array.from(this.#others, (other) => other())));
  }
}

/** Cheaper than the labels and at least as fine: two keys may stand for one series. */
function seriesKey(info: RequestInfo, apply: boolean, dryRun: boolean): string {
  if (info.kind === "path") return "";
  const flags = (apply ? 1 : 0) + (dryRun ? 2 : 0) + (info.name === "" ? 0 : 4) + (info.namespace === "" ? 0 : 8);
  return `${info.verb}${flags}${info.resource}/${info.subresource}/${info.version}/${info.group}`;
}
