/** How many replicas one metric proposes, given what was read of it. */
import type { autoscalingV2 } from "@coxswain/api";
import { messageOf, quantityOf } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { type MetricSpec, type MetricStatus, milliOf, type Tolerances } from "./hpa-types.ts";
import { DetailedError, MetricError, withPrefix } from "./metric-error.ts";
import type { PodMetrics } from "./pod-metrics.ts";
import { requestsOf } from "./pod-requests.ts";
import { averageUsage, type Proposed, proposeForShare, proposeForTotal, proposeReplicas, utilization } from "./propose-replicas.ts";
import type { MetricReading } from "./read-metric.ts";
import { selectorText } from "./selector-text.ts";

/** The Pods that an autoscaler scales, as they are. */
export interface ScaledPods {
  /** As the target is to have, and as it has. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Those that the target's selector selects. */
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

export interface Proposal {
  readonly replicas: number;
  /** In messages. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** @throws MetricError */
export function proposeForMetric(spec: MetricSpec, reading: MetricReading, scaled: ScaledPods): Proposal {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === "Resource" && resource !== undefined)
    return orMetricError("FailedGetResourceMetric", `failed to get ${resource.name} resource metric value`, () =>
      ofResource(resource, undefined, reading, scaled),
    );
  if (type === "ContainerResource" && containerResource !== undefined) {
    const { container } = containerResource;
    const what = `failed to get ${container} container metric value`;
    return orMetricError("FailedGetContainerResourceMetric", what, () => ofResource(containerResource, container, reading, scaled));
  }
  if (type === "Pods" && pods !== undefined)
    return orMetricError("FailedGetPodsMetric", "failed to get pods metric value", () => ofPods(pods, reading, scaled));
  if (type === "Object" && object !== undefined)
    return orMetricError("FailedGetObjectMetric", "failed to get object metric value", () => ofObject(object, reading, scaled));
  if (type === "External" && external !== undefined) {
    const what = `failed to get ${external.metric.name} external metric value`;
    return orMetricError("FailedGetExternalMetric", what, () => ofExternal(external, reading, scaled));
  }
  const problem = `unknown metric source type ${JSON.stringify(type)}`;
  throw new MetricError("InvalidMetricSourceType", problem, problem);
}

function orMetricError(reason: string, what: string, propose: () => Proposal): Proposal {
  try {
    return propose();
  } catch (error) {
    const problem = messageOf(error);
    const detail = error instanceof DetailedError ? `${error.detail}: ${problem}` : problem;
    throw new MetricError(reason, problem, `${what}: ${detail}`);
  }
}

function podValues(reading: MetricReading): PodMetrics {
  if (reading.kind === "failed") throw reading.error;
  if (reading.kind !== "pods") throw new TypeError("the metric has no value for each Pod");
  return reading.values;
}

function totalValue(reading: MetricReading): number {
  if (reading.kind === "failed") throw reading.error;
  if (reading.kind !== "total") throw new TypeError("the metric has no total value");
  return reading.value;
}

function ofResource(
  { name, target }: autoscalingV2.ResourceMetricSource,
  container: string | undefined,
  reading: MetricReading,
  scaled: ScaledPods,
): Proposal {
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined)
    throw new Error("invalid resource metric source: neither an average utilization target nor an average value (usage) target was set");
  const isRaw = averageValue !== undefined;
  let proposed: Proposed;
  try {
    proposed = proposeByResource({ name, target }, container, reading, scaled);
  } catch (error) {
    return withPrefix(`failed to get ${name} ${isRaw ? "usage" : "utilization"}`)(error);
  }
  const { replicas, average, percent } = proposed;
  const quantity = quantityOf(average, name === "memory" ? "BinarySI" : "DecimalSI", -3).toString();
  const current = { ...(percent === undefined ? {} : { averageUtilization: percent }), averageValue: quantity };
  const kind = container === undefined ? "resource" : "container resource";
  return {
    replicas,
    name: isRaw ? `${name} resource` : `${name} ${kind} utilization (percentage of request)`,
    status:
      container === undefined
        ? { type: "Resource", resource: { name, current } }
        : { type: "ContainerResource", containerResource: { name, container, current } },
  };
}

function proposeByResource(
  { name, target: { averageValue, averageUtilization } }: autoscalingV2.ResourceMetricSource,
  container: string | undefined,
  reading: MetricReading,
  { specReplicas: current, pods, tolerances, nowMs }: ScaledPods,
): Proposed {
  const usage = { current, pods, metrics: podValues(reading), resource: name, tolerances, nowMs };
  if (averageValue !== undefined || averageUtilization === undefined) {
    const wanted = milliOf(averageValue);
    return proposeReplicas({ ...usage, measure: averageUsage(wanted), fallback: () => wanted });
  }
  // Computed only once values are needed: that values are missing is reported before missing requests.
  let known: ReadonlyMap<string, number> | undefined;
  const requests = () => (known ??= requestsOf(pods, name, container));
  const fallback = (pod: string): number => Math.trunc(((requests().get(pod) ?? 0) * Math.max(100, averageUtilization)) / 100);
  return proposeReplicas({ ...usage, measure: (values) => utilization(requests(), averageUtilization)(values), fallback });
}

function ofPods({ metric, target }: autoscalingV2.PodsMetricSource, reading: MetricReading, scaled: ScaledPods): Proposal {
  const { specReplicas: current, pods, tolerances, nowMs } = scaled;
  const wanted = milliOf(target.averageValue);
  const usage = { current, pods, metrics: podValues(reading), resource: undefined, tolerances, nowMs };
  const { replicas, average } = proposeReplicas({ ...usage, measure: averageUsage(wanted), fallback: () => wanted });
  const status = { type: "Pods", pods: { metric, current: { averageValue: milliQuantity(average) } } };
  return { replicas, name: `pods metric ${metric.name}`, status };
}

function ofObject(
  { metric, target, describedObject }: autoscalingV2.ObjectMetricSource,
  reading: MetricReading,
  { specReplicas, statusReplicas, pods, tolerances }: ScaledPods,
): Proposal {
  const statusWith = (current: autoscalingV2.MetricValueStatus): MetricStatus => ({
    type: "Object",
    object: { describedObject, metric, current },
  });
  if (target.type === "Value" && target.value !== undefined) {
    const used = totalValue(reading);
    const replicas = proposeForTotal(specReplicas, used / milliOf(target.value), pods, tolerances);
    return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status: statusWith({ value: milliQuantity(used) }) };
  }
  if (target.type !== "AverageValue" || target.averageValue === undefined)
    throw new Error("invalid object metric source: neither a value target nor an average value target was set");
  const used = totalValue(reading);
  const replicas = proposeForShare(statusReplicas, used, milliOf(target.averageValue), tolerances);
  const status = statusWith({ averageValue: milliQuantity(shareOf(used, statusReplicas)) });
  return { replicas, name: `external metric ${metric.name}(${selectorText(metric.selector)})`, status };
}

function ofExternal(
  { metric, target }: autoscalingV2.ExternalMetricSource,
  reading: MetricReading,
  { specReplicas, statusReplicas, pods, tolerances }: ScaledPods,
): Proposal {
  const name = `external metric ${metric.name}(${selectorText(metric.selector)})`;
  const statusWith = (current: autoscalingV2.MetricValueStatus): MetricStatus => ({ type: "External", external: { metric, current } });
  if (target.averageValue !== undefined) {
    const used = totalValue(reading);
    const replicas = proposeForShare(statusReplicas, used, milliOf(target.averageValue), tolerances);
    return { replicas, name, status: statusWith({ averageValue: milliQuantity(shareOf(used, statusReplicas)) }) };
  }
  if (target.value === undefined)
    throw new Error("invalid external metric source: neither a value target nor an average value target was set");
  const used = totalValue(reading);
  const replicas = proposeForTotal(specReplicas, used / milliOf(target.value), pods, tolerances);
  return { replicas, name, status: statusWith({ value: milliQuantity(used) }) };
}

const milliQuantity = (value: number): string => quantityOf(Math.trunc(value), "DecimalSI", -3).toString();

/** Nothing can be divided among none. */
const shareOf = (used: number, replicas: number): number => (replicas === 0 ? 0 : Math.ceil(used / replicas));
