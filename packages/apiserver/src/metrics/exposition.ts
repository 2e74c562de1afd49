/** Puts the counts into Prometheus' text form. */
import type { Distribution } from "./distribution.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLabels, RequestSeries } from "./request-series.ts";

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

type Labels = Readonly<Record<string, string | number>>;
type PromClient = typeof import("prom-client");
type Define = (name: string, help: string, labelNames: readonly string[], values: Iterable<readonly [Labels, number]>) => void;

const resourceLabels = ["verb", "group", "version", "resource", "subresource", "scope", "component"];

/** What `/metrics` answers. */
export async function expose(metrics: Metrics): Promise<Exposition> {
  const { default: client } = await import("prom-client");
  const registry = new client.Registry();
  const counter: Define = (name, help, labelNames, values) => {
    const metric = new client.Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
    for (const [labels, value] of values) metric.inc({ ...labels }, value);
  };
  const gauge: Define = (name, help, labelNames, values) => {
    const metric = new client.Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
    for (const [labels, value] of values) metric.set({ ...labels }, value);
  };
  const series = [...metrics.series].map((one): readonly [Labels, RequestSeries] => [resourceLabelsOf(one.labels), one]);
  requestCounts(counter, gauge, series);
  histogram(
    client,
    registry,
    "apiserver_request_duration_seconds",
    "Seconds from a request to its answer, by verb, dry run, resource and scope.",
    series.map(([labels, one]) => [{ ...labels, dry_run: one.dryRun }, one.seconds]),
  );
  histogram(
    client,
    registry,
    "apiserver_response_sizes",
    "Bytes of the answers to reads, by verb, resource and scope.",
    series.flatMap(([labels, one]) => (one.bytes === undefined ? [] : [[labels, one.bytes] as const])),
  );
  conversionCounts(client, registry, counter, metrics);
  serverCounts(counter, gauge, metrics);
  processFacts(counter, gauge, metrics.startedAt);
  return { contentType: registry.contentType, text: `${await registry.metrics()}${metrics.includedText()}` };
}

const resourceLabelsOf = ({ verb, group, version, resource, subresource, scope, component }: RequestLabels): Labels => ({
  verb,
  group,
  version,
  resource,
  subresource,
  scope,
  component,
});

function requestCounts(counter: Define, gauge: Define, series: readonly (readonly [Labels, RequestSeries])[]): void {
  counter(
    "apiserver_request_total",
    "Requests answered, by verb, dry run, resource, scope and HTTP status code.",
    ["dry_run", "code", ...resourceLabels],
    series.flatMap(([labels, one]) => [...one.codes].map(([code, count]) => [{ ...labels, dry_run: one.dryRun, code }, count] as const)),
  );
  gauge(
    "apiserver_longrunning_requests",
    "Watches and other requests under way that end when the client likes, by verb, resource and scope.",
    resourceLabels,
    series.flatMap(([labels, one]) => (one.longRunning > 0 || one.labels.verb === "WATCH" ? [[labels, one.longRunning] as const] : [])),
  );
}

function conversionCounts(
  client: PromClient,
  registry: InstanceType<PromClient["Registry"]>,
  counter: Define,
  { conversions: { byDefinition, byFailure } }: Metrics,
): void {
  if (byFailure.size === 0) return;
  const results = [...byFailure].map(([failure, seconds]): readonly [Labels, Distribution] => [
    { result: failure === "" ? "success" : "failure", failure_type: failure },
    seconds,
  ]);
  counter(
    "apiserver_conversion_webhook_request_total",
    "Calls of conversion webhooks, by result and kind of failure.",
    ["result", "failure_type"],
    results.map(([labels, { counts }]) => [labels, counts.reduce((a, b) => a + b, 0)]),
  );
  histogram(client, registry, "apiserver_conversion_webhook_duration_seconds", "Seconds that conversion webhooks took.", results);
  histogram(
    client,
    registry,
    "apiserver_crd_conversion_webhook_duration_seconds",
    "Seconds that conversion webhooks took, by definition and versions.",
    [...byDefinition.values()].map(({ labels: { crd, from, to, failure }, seconds }) => [
      { crd_name: crd, from_version: from, to_version: to, succeeded: String(failure === "") },
      seconds,
    ]),
  );
}

function serverCounts(counter: Define, gauge: Define, metrics: Metrics): void {
  gauge(
    "apiserver_current_inflight_requests",
    "The most requests under way at a time since the last scrape, by whether they may write.",
    ["request_kind"],
    Object.entries(metrics.inflight).map(([kind, inflight]) => {
      const { max: most } = inflight;
      inflight.max = inflight.now;
      return [{ request_kind: kind }, most] as const;
    }),
  );
  counter(
    "apiserver_watch_events_total",
    "Events sent to watchers, by resource.",
    ["group", "version", "resource"],
    [...metrics.watchEvents.values()].map(({ group, version, resource, count }) => [{ group, version, resource }, count] as const),
  );
  counter(
    "coxswain_conflicts_total",
    "Conflicts told to writers, by the reason of the first cause.",
    ["reason"],
    [...metrics.conflicts].map(([reason, count]) => [{ reason }, count] as const),
  );
  counter("apiserver_tls_handshake_errors_total", "Connections lost before TLS was agreed.", [], [[{}, metrics.tlsHandshakeErrors]]);
  const { build } = metrics;
  if (build === undefined) return;
  gauge(
    "kubernetes_build_info",
    "Always 1; the labels tell the version.",
    ["major", "minor", "git_version", "git_commit", "platform"],
    [[{ major: build.major, minor: build.minor, git_version: build.gitVersion, git_commit: build.gitCommit, platform: build.platform }, 1]],
  );
}

function processFacts(counter: Define, gauge: Define, startedAt: number): void {
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  counter("process_cpu_seconds_total", "CPU time used, user and system, in seconds.", [], [[{}, (cpu.user + cpu.system) / 1e6]]);
  gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", [], [[{}, startedAt]]);
  gauge("process_resident_memory_bytes", "Resident memory in bytes.", [], [[{}, memory.rss]]);
  gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use in bytes.", [], [[{}, memory.heapUsed]]);
  gauge("nodejs_external_memory_bytes", "Memory of buffers and other native objects in bytes.", [], [[{}, memory.external]]);
}

/** The client's own histogram can only be fed value by value; this one shows counts that are there already. */
function histogram(
  client: PromClient,
  registry: InstanceType<PromClient["Registry"]>,
  name: string,
  help: string,
  values: readonly (readonly [Labels, Distribution])[],
): void {
  const rows = values.flatMap(([labels, distribution]) => rowsOf(name, labels, distribution));
  class Counted extends client.Histogram {
    override async get() {
      return { ...(await super.get()), values: rows };
    }
    getForPromString() {
      return { name, help, type: "histogram", values: rows };
    }
  }
  new Counted({ name, help, registers: [registry] });
}

function rowsOf(name: string, labels: Labels, { bounds, counts, sum }: Distribution) {
  let total = 0;
  const buckets = [...counts].map((count, at) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? "+Inf" }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: total },
  ];
}
