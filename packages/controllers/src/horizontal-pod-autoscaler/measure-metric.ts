/** What one metric of an autoscaler proposes. */
import type { autoscalingV2 } from "@coxswain/api";
import { type LabelSelector, labelSelectorFromObject, quantityOf } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { type MetricSpec, type MetricStatus, milliOf, type Tolerances } from "./hpa-types.ts";
import type { MetricsApi } from "./metrics-api.ts";
import { requestsOf } from "./pod-requests.ts";
import { averageUsage, proposeForShare, proposeForTotal, proposeReplicas, sum, utilization } from "./propose-replicas.ts";
import { selectorText } from "./selector-text.ts";

export interface Scaled {
  /** As the target is to have, and as it has. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly namespace: string;
  readonly selector: LabelSelector;
  /** That the selector chooses. */
  readonly pods: readonly Pod[];
  readonly metrics: MetricsApi;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

export interface Proposal {
  readonly replicas: number;
  /** In messages. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** Why a metric proposes nothing: in the condition and the Event, and, with what it is about, among others. */
export class MetricError extends Error {
  readonly reason: string;
  readonly problem: string;
  constructor(reason: string, problem: string, message: string) {
    super(message);
    this.name = "MetricError";
    this.reason = reason;
    this.problem = problem;
  }
}

/** @throws MetricError */
export async function measureMetric(spec: MetricSpec, scaled: Scaled): Promise<Proposal> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === "Resource" && resource !== undefined)
    return attempt("FailedGetResourceMetric", `failed to get ${resource.name} resource metric value`, () =>
      ofResource(resource, undefined, scaled),
    );
  if (type === "ContainerResource" && containerResource !== undefined) {
    const { container } = containerResource;
    const what = `failed to get ${container} container metric value`;
    return attempt("FailedGetContainerResourceMetric", what, () => ofResource(containerResource, container, scaled));
  }
  if (type === "Pods" && pods !== undefined)
    return attempt("FailedGetPodsMetric", "failed to get pods metric value", () => ofPods(pods, scaled));
  if (type === "Object" && object !== undefined)
    return attempt("FailedGetObjectMetric", "failed to get object metric value", () => ofObject(object, scaled));
  if (type === "External" && external !== undefined) {
    const what = `failed to get ${external.metric.name} external metric value`;
    return attempt("FailedGetExternalMetric", what, () => ofExternal(external, scaled));
  }
  const problem = `unknown metric source type ${JSON.stringify(type)}`;
  throw new MetricError("InvalidMetricSourceType", problem, problem);
}

/** Says more to those who read the sum of it all than in the condition. */
class Detailed extends Error {
  readonly detail: string;
  constructor(detail: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "Detailed";
    this.detail = detail;
  }
}

async function attempt(reason: string, what: string, measure: () => Promise<Proposal>): Promise<Proposal> {
  try {
    return await measure();
  } catch (error) {
    const problem = messageOf(error);
    const detail = error instanceof Detailed ? `${error.detail}: ${problem}` : problem;
    throw new MetricError(reason, problem, `${what}: ${detail}`);
  }
}

const detailed = (detail: string) => (error: unknown) => {
  throw new Detailed(detail, error);
};

const naming =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  };

async function ofResource(
  { name, target }: autoscalingV2.ResourceMetricSource,
  container: string | undefined,
  scaled: Scaled,
): Promise<Proposal> {
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined)
    throw new Error("invalid resource metric source: neither an average utilization target nor an average value (usage) target was set");
  const common = { current: scaled.specReplicas, pods: scaled.pods, resource: name, tolerances: scaled.tolerances, nowMs: scaled.nowMs };
  const measured = async () => {
    const metrics = await scaled.metrics
      .ofResource(name, scaled.selector, container)
      .catch(naming(`unable to get metrics for resource ${name}`));
    if (averageValue !== undefined || averageUtilization === undefined) {
      const wanted = milliOf(averageValue);
      return proposeReplicas({ ...common, metrics, measure: averageUsage(wanted), fallback: () => wanted });
    }
    // Asked only once figures are there: what is missing among them is told first.
    let known: ReadonlyMap<string, number> | undefined;
    const requests = () => (known ??= requestsOf(scaled.pods, name, container));
    const fallback = (pod: string): number => Math.trunc(((requests().get(pod) ?? 0) * Math.max(100, averageUtilization)) / 100);
    return proposeReplicas({ ...common, metrics, measure: (values) => utilization(requests(), averageUtilization)(values), fallback });
  };
  const isRaw = averageValue !== undefined;
  const { replicas, average, percent } = await measured().catch(naming(`failed to get ${name} ${isRaw ? "usage" : "utilization"}`));
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

async function ofPods({ metric, target }: autoscalingV2.PodsMetricSource, scaled: Scaled): Promise<Proposal> {
  const { specReplicas: current, pods, tolerances, nowMs, selector } = scaled;
  const metrics = await scaled.metrics
    .ofPods(metric.name, selector, labelSelectorOf(metric))
    .catch(naming(`unable to get metric ${metric.name}`));
  const wanted = milliOf(target.averageValue);
  const usage = { current, pods, metrics, resource: undefined, tolerances, nowMs };
  const { replicas, average } = proposeReplicas({ ...usage, measure: averageUsage(wanted), fallback: () => wanted });
  const status = { type: "Pods", pods: { metric, current: { averageValue: milliQuantity(average) } } };
  return { replicas, name: `pods metric ${metric.name}`, status };
}

async function ofObject({ metric, target, describedObject }: autoscalingV2.ObjectMetricSource, scaled: Scaled): Promise<Proposal> {
  const { specReplicas, statusReplicas, pods, tolerances, namespace } = scaled;
  const usage = (): Promise<number> =>
    scaled.metrics.ofObject(metric.name, describedObject, labelSelectorOf(metric)).catch((error: unknown) => {
      // The order is Kubernetes' own.
      const where = `${describedObject.kind} on ${namespace} ${describedObject.name}`;
      throw new Error(`unable to get metric ${metric.name}: ${where}/${messageOf(error)}`, { cause: error });
    });
  const told = (current: autoscalingV2.MetricValueStatus): MetricStatus => ({
    type: "Object",
    object: { describedObject, metric, current },
  });
  if (target.type === "Value" && target.value !== undefined) {
    const used = await usage();
    const replicas = proposeForTotal(specReplicas, used / milliOf(target.value), pods, tolerances);
    return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status: told({ value: milliQuantity(used) }) };
  }
  if (target.type !== "AverageValue" || target.averageValue === undefined)
    throw new Error("invalid object metric source: neither a value target nor an average value target was set");
  const used = await usage().catch(detailed(`failed to get ${metric.name} object metric`));
  const replicas = proposeForShare(statusReplicas, used, milliOf(target.averageValue), tolerances);
  const status = told({ averageValue: milliQuantity(shareOf(used, statusReplicas)) });
  return { replicas, name: `external metric ${metric.name}(${selectorText(metric.selector)})`, status };
}

async function ofExternal({ metric, target }: autoscalingV2.ExternalMetricSource, scaled: Scaled): Promise<Proposal> {
  const { specReplicas, statusReplicas, pods, tolerances, namespace } = scaled;
  const name = `external metric ${metric.name}(${selectorText(metric.selector)})`;
  const what = `unable to get external metric ${namespace}/${metric.name}/${selectorText(metric.selector)}`;
  const usage = async () => sum(await scaled.metrics.external(metric.name, labelSelectorOf(metric)).catch(naming(what)));
  const told = (current: autoscalingV2.MetricValueStatus): MetricStatus => ({ type: "External", external: { metric, current } });
  if (target.averageValue !== undefined) {
    const used = await usage().catch(detailed(`failed to get ${metric.name} external metric`));
    const replicas = proposeForShare(statusReplicas, used, milliOf(target.averageValue), tolerances);
    return { replicas, name, status: told({ averageValue: milliQuantity(shareOf(used, statusReplicas)) }) };
  }
  if (target.value === undefined)
    throw new Error("invalid external metric source: neither a value target nor an average value target was set");
  const wanted = milliOf(target.value);
  const used = await usage().catch(detailed(`failed to get external metric ${metric.name}`));
  const replicas = proposeForTotal(specReplicas, used / wanted, pods, tolerances);
  return { replicas, name, status: told({ value: milliQuantity(used) }) };
}

/** Without a selector all series count. */
const labelSelectorOf = ({ selector }: autoscalingV2.MetricIdentifier): LabelSelector => labelSelectorFromObject(selector ?? {});

const milliQuantity = (value: number): string => quantityOf(Math.trunc(value), "DecimalSI", -3).toString();

/** Nothing can be divided among none. */
const shareOf = (used: number, replicas: number): number => (replicas === 0 ? 0 : Math.ceil(used / replicas));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
