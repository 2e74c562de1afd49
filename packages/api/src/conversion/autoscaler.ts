/**
 * HorizontalPodAutoscalers between autoscaling/v2 and autoscaling/v1. v1 knows one metric, the CPU's utilisation;
 * everything else rides in annotations, in the forms that v1 clients write and read there.
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
import type { KubeObject, ObjectMeta } from "@coxswain/machinery";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "@coxswain/types/autoscaling-v1";
import type {
  HorizontalPodAutoscaler as AutoscalerV2,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
  MetricStatus,
} from "@coxswain/types/autoscaling-v2";
import { defined, type JsonObject, optional, parseList, stringOf } from "./annotation.ts";
import { behaviorFromAnnotation, behaviorToAnnotation } from "./autoscaler-behavior.ts";
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from "./autoscaler-metrics.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";
const carriers = ["metrics", "behavior", "current-metrics", "conditions", "scale-down-tolerance", "scale-up-tolerance"].map(
  (n) => prefix + n,
);

/** What an autoscaler without metrics aims at, in percent of the requests. */
export const defaultCpuUtilization = 80;

export const cpuMetric = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

export function autoscalerToV1(obj: Readonly<KubeObject>): AutoscalerV1 {
  const { spec, status, metadata, ...rest } = obj as AutoscalerV2;
  const { metrics, behavior, ...plainSpec } = spec ?? {};
  const { currentMetrics, conditions, ...plainStatus } = status ?? { desiredReplicas: 0 };
  const others = metrics?.filter((metric) => cpuUtilization(metric) === undefined);
  return {
    ...rest,
    metadata: withCarriers(metadata, {
      [`${prefix}metrics`]: jsonList(others?.map(metricToV1)),
      [`${prefix}current-metrics`]: jsonList(currentMetrics?.map(metricStatusToV1)),
      [`${prefix}behavior`]: optional(behavior, () => behaviorToAnnotation(behavior ?? {})),
      [`${prefix}conditions`]: jsonList(conditions?.map(writeCondition)),
    }),
    spec: { ...plainSpec, ...defined({ targetCPUUtilizationPercentage: firstOf(metrics, cpuUtilization) }) },
    status: {
      currentReplicas: 0,
      ...plainStatus,
      ...defined({ currentCPUUtilizationPercentage: firstOf(currentMetrics?.toReversed(), currentCpuUtilization) }),
    },
  };
}

/** What an annotation holds that cannot be read is ignored, as Kubernetes does. */
export function autoscalerToV2(obj: Readonly<KubeObject>): KubeObject {
  const { spec, status, metadata, ...rest } = obj as AutoscalerV1;
  const { targetCPUUtilizationPercentage: cpu, ...plainSpec } = spec ?? {};
  const {
    currentCPUUtilizationPercentage: currentCpu,
    currentReplicas,
    ...plainStatus
  } = status ?? { currentReplicas: 0, desiredReplicas: 0 };
  const carried = metadata?.annotations ?? {};
  const metrics = parseList(carried[`${prefix}metrics`], metricFromV1);
  if (typeof cpu === "number") metrics.push(cpuMetric(cpu));
  const conditions = parseList(carried[`${prefix}conditions`], readCondition);
  const currentMetrics = parseList(carried[`${prefix}current-metrics`], metricStatusFromV1);
  if (currentMetrics.length === 0 && typeof currentCpu === "number") currentMetrics.push(cpuStatus(currentCpu));
  return {
    ...rest,
    metadata: withoutCarriers(metadata),
    spec: {
      ...plainSpec,
      metrics: metrics.length > 0 ? metrics : [cpuMetric(defaultCpuUtilization)],
      ...defined({ behavior: behaviorFromAnnotation(carried[`${prefix}behavior`]) }),
    },
    status: {
      // v1 always shows the number, v2 only when there is one.
      ...(currentReplicas === 0 ? {} : defined({ currentReplicas })),
      ...plainStatus,
      currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
      ...(conditions.length > 0 ? { conditions } : {}),
    },
  };
}

function cpuUtilization({ type, resource }: MetricSpec): number | undefined {
  return type === "Resource" && resource?.name === "cpu" ? (resource.target.averageUtilization ?? undefined) : undefined;
}

function currentCpuUtilization({ type, resource }: MetricStatus): number | undefined {
  return type === "Resource" && resource?.name === "cpu" ? (resource.current.averageUtilization ?? undefined) : undefined;
}

const cpuStatus = (averageUtilization: number): MetricStatus => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

const firstOf = <T>(items: readonly T[] | undefined, read: (item: T) => number | undefined): number | undefined =>
  items?.map(read).find((value) => value !== undefined);

const jsonList = (items: readonly JsonObject[] | undefined): string | undefined =>
  items === undefined || items.length === 0 ? undefined : JSON.stringify(items);

/** What answers of metadata alone show: an object's own, without what its conversion added. */
export const withoutCarriers = (metadata: ObjectMeta | undefined): ObjectMeta => withCarriers(metadata, {});

/** The metadata with these carriers and no others. */
function withCarriers(metadata: ObjectMeta = {}, carried: Readonly<Record<string, string | undefined>>): ObjectMeta {
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !carriers.includes(name));
  const added = Object.entries(carried).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const annotations = Object.fromEntries([...kept, ...added]);
  const { annotations: _, ...others } = metadata;
  return Object.keys(annotations).length === 0 ? others : { ...others, annotations };
}

const writeCondition = ({ type, status, lastTransitionTime, reason, message }: HorizontalPodAutoscalerCondition): JsonObject => ({
  type,
  status,
  lastTransitionTime: lastTransitionTime ?? null,
  ...defined({ reason, message }),
});

const readCondition = (json: JsonObject): HorizontalPodAutoscalerCondition => ({
  type: stringOf(json.type ?? ""),
  status: stringOf(json.status ?? ""),
  ...defined({
    lastTransitionTime: optional(json.lastTransitionTime, stringOf),
    reason: optional(json.reason, stringOf),
    message: optional(json.message, stringOf),
  }),
});
