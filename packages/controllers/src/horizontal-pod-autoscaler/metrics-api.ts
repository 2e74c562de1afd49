/** Asks whoever serves `metrics.k8s.io`, `custom.metrics.k8s.io` and `external.metrics.k8s.io`. */
import type { autoscalingV2 } from "@coxswain/api";
import { type Client, defineResource, isNotFound, type KubeObject } from "@coxswain/client";
import { type LabelSelector, messageOf, millisOf, parseGoDuration } from "@coxswain/machinery";
import { milliOf } from "./hpa-types.ts";
import type { PodMetric, PodMetrics } from "./pod-metrics.ts";

export interface MetricsApi {
  /** What each of the chosen Pods uses; `container`: of that one alone. */
  ofResource(resource: string, selector: LabelSelector, container: string | undefined): Promise<PodMetrics>;
  ofPods(metric: string, selector: LabelSelector, metricSelector: LabelSelector): Promise<PodMetrics>;
  /** Thousandths. */
  ofObject(metric: string, object: autoscalingV2.CrossVersionObjectReference, metricSelector: LabelSelector): Promise<number>;
  /** Thousandths, of each series. */
  external(metric: string, selector: LabelSelector): Promise<readonly number[]>;
}

interface PodMetricsObject extends KubeObject {
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, unknown>> }[];
}

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  /** In the newer version, and in the older. */
  readonly windowSeconds?: number;
  readonly window?: number;
  readonly value?: unknown;
}

interface ApiGroup {
  readonly versions?: readonly { readonly version: string }[];
}

const podMetrics = defineResource<PodMetricsObject>({
  group: "metrics.k8s.io",
  version: "v1beta1",
  resource: "pods",
  kind: "PodMetrics",
  namespaced: true,
});

/** Where a metric does not say over which time. */
const usualWindowMs = 60_000;

export function metricsApi(client: Client, namespace: string, signal: AbortSignal): MetricsApi {
  return {
    ofResource: async (resource, selector, container) => {
      const listing = client.resource(podMetrics, namespace).list({ labelSelector: selector.toString(), signal });
      const { items } = await listing.catch(failed("unable to fetch metrics from resource metrics API"));
      if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
      return new Map(items.flatMap((item) => usageOf(item, resource, container)));
    },
    ofPods: async (metric, selector, metricSelector) => {
      const query = queryOf({ labelSelector: selector.toString(), metricLabelSelector: metricSelector.toString() });
      const items = await custom(client, `namespaces/${namespace}/pods/*/${metric}${query}`, signal).catch(failed(noCustom));
      if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
      return new Map(items.map((item) => [item.describedObject?.name ?? "", metricOf(item)]));
    },
    ofObject: async (metric, object, metricSelector) => {
      const query = queryOf({ metricLabelSelector: metricSelector.toString() });
      const items = await pathOf(client, namespace, object)
        .then((path) => custom(client, `${path}/${metric}${query}`, signal))
        .then(exactlyOne)
        .catch(failed(noCustom));
      return milliOf(items.value);
    },
    external: async (metric, selector) => {
      const ref = defineResource<KubeObject & MetricValue>({
        group: "external.metrics.k8s.io",
        version: "v1beta1",
        resource: metric,
        kind: "ExternalMetricValue",
        namespaced: true,
      });
      const listing = client.resource(ref, namespace).list({ labelSelector: selector.toString(), signal });
      const { items } = await listing.catch(failed("unable to fetch metrics from external metrics API"));
      if (items.length === 0) throw new Error("no metrics returned from external metrics API");
      return items.map(({ value }) => milliOf(value));
    },
  };
}

const noCustom = "unable to fetch metrics from custom metrics API";

const failed = (what: string) => (error: unknown) => {
  throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
};

/** A Pod counts only with figures of all its containers. */
function usageOf(
  { metadata, timestamp, window, containers = [] }: PodMetricsObject,
  resource: string,
  container: string | undefined,
): [string, PodMetric][] {
  const counted = container === undefined ? containers : containers.filter(({ name }) => name === container).slice(0, 1);
  const used = counted.map(({ usage }) => usage?.[resource]);
  if (used.length === 0 || used.includes(undefined)) return [];
  const windowMs = parseGoDuration(window ?? "0");
  const value = used.reduce<number>((total, one) => total + milliOf(one), 0);
  return [[metadata?.name ?? "", { value, at: millisOf(timestamp) ?? 0, windowMs: typeof windowMs === "number" ? windowMs : 0 }]];
}

function metricOf({ timestamp, windowSeconds, window, value }: MetricValue): PodMetric {
  const seconds = windowSeconds ?? window;
  return { value: milliOf(value), at: millisOf(timestamp) ?? 0, windowMs: seconds === undefined ? usualWindowMs : seconds * 1000 };
}

function exactlyOne(items: readonly MetricValue[]): MetricValue {
  const [item] = items;
  if (item !== undefined && items.length === 1) return item;
  throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`);
}

async function custom(client: Client, path: string, signal: AbortSignal): Promise<readonly MetricValue[]> {
  const root = "/apis/custom.metrics.k8s.io";
  const group = await json<ApiGroup>(client, root, signal).catch((error: unknown): ApiGroup => {
    if (isNotFound(error)) return {};
    throw error;
  });
  const served = (group.versions ?? []).map(({ version }) => version);
  const version = ["v1beta2", "v1beta1"].find((one) => served.includes(one));
  if (version === undefined) throw new Error("no custom metrics API (custom.metrics.k8s.io) registered");
  const { items = [] } = await json<{ items?: MetricValue[] }>(client, `${root}/${version}/${path}`, signal);
  return items;
}

/** Of an object's metrics; a Namespace's are those of the one it is in. */
async function pathOf(client: Client, namespace: string, object: autoscalingV2.CrossVersionObjectReference): Promise<string> {
  const { apiVersion = "v1", kind, name } = object;
  if (kind === "Namespace" && !apiVersion.includes("/")) return `namespaces/${namespace}/metrics`;
  const { group, resource } = await client.refOf({ apiVersion, kind });
  return `namespaces/${namespace}/${group === "" ? resource : `${resource}.${group}`}/${name}`;
}

async function json<T>(client: Client, path: string, signal: AbortSignal): Promise<T> {
  const answer = await client.request({ method: "GET", path, headers: { accept: "application/json" }, signal });
  return JSON.parse(new TextDecoder().decode(await answer.bytes())) as T;
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
  return query === "" ? "" : `?${query}`;
}
