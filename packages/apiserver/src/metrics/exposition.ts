/** Puts the counts into Prometheus' text form. */
import { type Histogram, type MetricLabels, MetricsRegistry, metricsContentType } from "@coxswain/machinery";
import { exposeAccess } from "./access.ts";
import { exposeAggregation } from "./aggregation.ts";
import { exposeAudit } from "./audit.ts";
import { exposeAuthorization } from "./authorization.ts";
import { exposeConfigReloads } from "./config-reloads.ts";
import type { Definers } from "./definers.ts";
import { exposeFlowControl } from "./flow-control.ts";
import { exposeIssuers } from "./issuers.ts";
import { exposeKms } from "./kms.ts";
import { timesOf, valuesOf } from "./labelled.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLabels, RequestSeries } from "./request-series.ts";

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/**
 * What `/metrics` answers of the server itself; `isPart`: of one of several in the process, without what is the process's, and what each of
 * them would say alike.
 */
export function expose(metrics: Metrics, { isPart = false } = {}): Exposition {
  const registry = new MetricsRegistry();
  const define = definersFor(registry);
  const series = [...metrics.series].map((one): readonly [MetricLabels, RequestSeries] => [resourceLabelsOf(one.labels), one]);
  requestCounts(define, series);
  define.histogram(
    "apiserver_request_duration_seconds",
    "Seconds from a request to its answer, by verb, dry run, resource and scope.",
    series.map(([labels, one]) => [{ ...labels, dry_run: one.dryRun }, one.seconds]),
  );
  define.histogram(
    "apiserver_response_sizes",
    "Bytes of the answers to reads, by verb, resource and scope.",
    series.flatMap(([labels, one]) => (one.bytes === undefined ? [] : [[labels, one.bytes] as const])),
  );
  conversionCounts(define, metrics);
  webhookCounts(define, metrics);
  exposeAudit(define, metrics.audit);
  exposeAuthorization(define, metrics.authorization);
  exposeFlowControl(define, metrics.flowControl);
  exposeAccess(define, metrics.access);
  serverCounts(define, metrics);
  if (!isPart) processFacts(define, metrics);
  return { contentType: metricsContentType, text: registry.text() };
}

/** Every metric is declared: dashboards find its name before the first value is there. */
function definersFor(registry: MetricsRegistry): Definers {
  return {
    counter: (name, help, values) => {
      registry.declare("counter", name, help);
      for (const [labels, value] of values) registry.counter(name, help, labels).add(value);
    },
    gauge: (name, help, values) => {
      registry.declare("gauge", name, help);
      for (const [labels, value] of values) registry.gauge(name, help, labels).set(value);
    },
    histogram: (name, help, values) => {
      registry.declare("histogram", name, help);
      for (const [labels, histogram] of values) registry.addHistogram(name, help, labels, histogram);
    },
  };
}

const resourceLabelsOf = ({ verb, group, version, resource, subresource, scope, component }: RequestLabels): MetricLabels => ({
  verb,
  group,
  version,
  resource,
  subresource,
  scope,
  component,
});

function requestCounts({ counter, gauge }: Definers, series: readonly (readonly [MetricLabels, RequestSeries])[]): void {
  counter(
    "apiserver_request_total",
    "Requests answered, by verb, dry run, resource, scope and HTTP status code.",
    series.flatMap(([labels, one]) =>
      [...one.codes].map(([code, count]) => [{ ...labels, dry_run: one.dryRun, code: String(code) }, count] as const),
    ),
  );
  gauge(
    "apiserver_longrunning_requests",
    "Watches and other requests under way that end when the client likes, by verb, resource and scope.",
    series.flatMap(([labels, one]) => (one.longRunning > 0 || one.labels.verb === "WATCH" ? [[labels, one.longRunning] as const] : [])),
  );
}

function conversionCounts({ counter, histogram }: Definers, { conversions: { byDefinition, byFailure } }: Metrics): void {
  if (byFailure.size === 0) return;
  const results = [...byFailure].map(([failure, seconds]): readonly [MetricLabels, Histogram] => [
    { result: failure === "" ? "success" : "failure", failure_type: failure },
    seconds,
  ]);
  counter(
    "apiserver_conversion_webhook_request_total",
    "Calls of conversion webhooks, by result and kind of failure.",
    results.map(([labels, { count }]) => [labels, count]),
  );
  histogram("apiserver_conversion_webhook_duration_seconds", "Seconds that conversion webhooks took.", results);
  histogram(
    "apiserver_crd_conversion_webhook_duration_seconds",
    "Seconds that conversion webhooks took, by definition and versions.",
    [...byDefinition.values()].map(({ labels: { crd, from, to, failure }, seconds }) => [
      { crd_name: crd, from_version: from, to_version: to, succeeded: String(failure === "") },
      seconds,
    ]),
  );
}

function webhookCounts({ counter, histogram }: Definers, { admissionWebhooks }: Metrics): void {
  const { durations, requests, rejections, failedOpen, exclusions } = admissionWebhooks;
  if (durations.size === 0 && exclusions.size === 0) return;
  histogram(
    "apiserver_admission_webhook_admission_duration_seconds",
    "Seconds that admission webhooks took, by name, type, operation and whether the request was rejected.",
    timesOf(durations),
  );
  counter("apiserver_admission_webhook_request_total", "Calls of admission webhooks, by name and status code.", valuesOf(requests));
  counter(
    "apiserver_admission_webhook_rejection_count",
    "Requests that admission webhooks rejected, by name and cause.",
    valuesOf(rejections),
  );
  counter(
    "apiserver_admission_webhook_fail_open_count",
    "Failures of admission webhooks that were ignored, by name.",
    valuesOf(failedOpen),
  );
  counter(
    "apiserver_admission_match_condition_exclusions_total",
    "Requests that the conditions of a webhook have excluded, by its name.",
    valuesOf(exclusions),
  );
}

function serverCounts({ counter, gauge }: Definers, metrics: Metrics): void {
  gauge(
    "apiserver_current_inflight_requests",
    "The most requests under way at a time since the last scrape, by whether they may write.",
    Object.entries(metrics.inflight).map(([kind, inflight]) => {
      const { max: most } = inflight;
      inflight.max = inflight.now;
      return [{ request_kind: kind }, most] as const;
    }),
  );
  counter(
    "apiserver_watch_events_total",
    "Events sent to watchers, by resource.",
    [...metrics.watchEvents.values()].map(({ group, version, resource, count }) => [{ group, version, resource }, count] as const),
  );
  counter(
    "coxswain_conflicts_total",
    "Conflicts told to writers, by the reason of the first cause.",
    [...metrics.conflicts].map(([reason, count]) => [{ reason }, count] as const),
  );
  counter("apiserver_tls_handshake_errors_total", "Connections lost before TLS was agreed.", [[{}, metrics.tlsHandshakeErrors]]);
  const { build } = metrics;
  if (build === undefined) return;
  gauge("kubernetes_build_info", "Always 1; the labels tell the version.", [
    [{ major: build.major, minor: build.minor, git_version: build.gitVersion, git_commit: build.gitCommit, platform: build.platform }, 1],
  ]);
}

function processFacts(define: Definers, metrics: Metrics): void {
  exposeAggregation(define, metrics.aggregation);
  exposeKms(define, metrics.kms);
  const { serverId } = metrics;
  exposeConfigReloads(define, "authentication", { reloads: metrics.access.authenticationConfig, serverId });
  exposeIssuers(define, metrics.access.issuers, serverId);
  exposeConfigReloads(define, "encryption", { reloads: metrics.access.encryptionConfig, serverId });
  exposeConfigReloads(define, "authorization", { reloads: metrics.access.authorizationConfig, serverId });
  const { counter, gauge } = define;
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  counter("process_cpu_seconds_total", "CPU time used, user and system, in seconds.", [[{}, (cpu.user + cpu.system) / 1e6]]);
  gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", [[{}, metrics.startedAt]]);
  gauge("process_resident_memory_bytes", "Resident memory in bytes.", [[{}, memory.rss]]);
  gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use in bytes.", [[{}, memory.heapUsed]]);
  gauge("nodejs_external_memory_bytes", "Memory of buffers and other native objects in bytes.", [[{}, memory.external]]);
}
