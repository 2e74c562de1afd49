/** Reads what one metric of an autoscaler is at, from the API that serves it. */
import type { autoscalingV2 } from "@coxswain/api";
import { type LabelSelector, labelSelectorFromObject, messageOf } from "@coxswain/machinery";
import type { MetricSpec } from "./hpa-types.ts";
import { withDetail, withPrefix } from "./metric-error.ts";
import type { MetricsApi } from "./metrics-api.ts";
import type { PodMetrics } from "./pod-metrics.ts";
import { sum } from "./propose-replicas.ts";
import { selectorText } from "./selector-text.ts";

export type MetricReading =
  | { readonly kind: "pods"; readonly values: PodMetrics }
  /** Of one object, or of all series together. Thousandths. */
  | { readonly kind: "total"; readonly value: number }
  | { readonly kind: "failed"; readonly error: unknown }
  /** Its spec names nothing that could be read. */
  | { readonly kind: "invalid" };

export interface MetricSource {
  readonly metrics: MetricsApi;
  readonly namespace: string;
  /** Of the target's Pods. */
  readonly selector: LabelSelector;
}

/** @throws the reason of the signal, and nothing else */
export async function readMetric(spec: MetricSpec, source: MetricSource, signal: AbortSignal): Promise<MetricReading> {
  try {
    return await read(spec, source);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", error };
  }
}

const invalid: MetricReading = { kind: "invalid" };

async function read({ type, ...spec }: MetricSpec, source: MetricSource): Promise<MetricReading> {
  if (type === "Resource" && spec.resource !== undefined) return await readResource(spec.resource, undefined, source);
  if (type === "ContainerResource" && spec.containerResource !== undefined)
    return await readResource(spec.containerResource, spec.containerResource.container, source);
  if (type === "Pods" && spec.pods !== undefined) return await readPods(spec.pods, source);
  if (type === "Object" && spec.object !== undefined) return await readObject(spec.object, source);
  if (type === "External" && spec.external !== undefined) return await readExternal(spec.external, source);
  return invalid;
}

async function readResource(
  { name, target }: autoscalingV2.ResourceMetricSource,
  container: string | undefined,
  { metrics, selector }: MetricSource,
): Promise<MetricReading> {
  if (target.averageValue === undefined && target.averageUtilization === undefined) return invalid;
  const reading = metrics.ofResource(name, selector, container);
  return { kind: "pods", values: await reading.catch(withPrefix(`unable to get metrics for resource ${name}`)) };
}

async function readPods({ metric }: autoscalingV2.PodsMetricSource, { metrics, selector }: MetricSource): Promise<MetricReading> {
  const reading = metrics.ofPods(metric.name, selector, labelSelectorOf(metric));
  return { kind: "pods", values: await reading.catch(withPrefix(`unable to get metric ${metric.name}`)) };
}

async function readObject(
  { metric, target, describedObject }: autoscalingV2.ObjectMetricSource,
  { metrics, namespace }: MetricSource,
): Promise<MetricReading> {
  const isTotal = target.type === "Value" && target.value !== undefined;
  if (!isTotal && (target.type !== "AverageValue" || target.averageValue === undefined)) return invalid;
  const usage = async (): Promise<number> =>
    metrics.ofObject(metric.name, describedObject, labelSelectorOf(metric)).catch((error: unknown) => {
      // The order is Kubernetes' own.
      const where = `${describedObject.kind} on ${namespace} ${describedObject.name}`;
      throw new Error(`unable to get metric ${metric.name}: ${where}/${messageOf(error)}`, { cause: error });
    });
  return { kind: "total", value: await (isTotal ? usage() : usage().catch(withDetail(`failed to get ${metric.name} object metric`))) };
}

async function readExternal(
  { metric, target }: autoscalingV2.ExternalMetricSource,
  { metrics, namespace }: MetricSource,
): Promise<MetricReading> {
  const isAverage = target.averageValue !== undefined;
  if (!isAverage && target.value === undefined) return invalid;
  const prefix = `unable to get external metric ${namespace}/${metric.name}/${selectorText(metric.selector)}`;
  const usage = async () => sum(await metrics.external(metric.name, labelSelectorOf(metric)).catch(withPrefix(prefix)));
  const detail = isAverage ? `failed to get ${metric.name} external metric` : `failed to get external metric ${metric.name}`;
  return { kind: "total", value: await usage().catch(withDetail(detail)) };
}

/** Without a selector all series count. */
const labelSelectorOf = ({ selector }: autoscalingV2.MetricIdentifier): LabelSelector => labelSelectorFromObject(selector ?? {});
