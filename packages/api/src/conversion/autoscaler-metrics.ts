/**
 * Metrics of autoscaling/v2 in the flat form that autoscaling/v1 keeps in annotations. v1 has no target type: which of
 * value, average and utilisation is set determines it.
 */
import type { CrossVersionObjectReference, MetricIdentifier, MetricSpec, MetricStatus, MetricTarget } from "@coxswain/types/autoscaling-v2";
import type { LabelSelector } from "@coxswain/types/meta-v1";
import { defined, integerOf, type JsonObject, objectOf, optional, quantityOf, stringOf } from "./annotation.ts";

export const metricToV1 = ({ type, object, pods, resource, containerResource, external }: MetricSpec): JsonObject =>
  defined({
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      ...defined({ selector: object.metric.selector, averageValue: object.target.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      ...defined({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...resourceTarget(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...resourceTarget(containerResource.target),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...defined({
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
    },
  });

export const metricFromV1 = (json: JsonObject): MetricSpec =>
  defined({
    type: stringOf(json.type ?? ""),
    object: optional(json.object, (value) => {
      const source = objectOf(value);
      return { describedObject: readReference(source.target), metric: readMetric(source, "selector"), target: objectTarget(source) };
    }),
    pods: optional(json.pods, (value) => {
      const source = objectOf(value);
      return {
        metric: readMetric(source, "selector"),
        target: { type: "AverageValue", averageValue: quantityOf(source.targetAverageValue ?? "0") },
      };
    }),
    resource: optional(json.resource, (value) => {
      const source = objectOf(value);
      return { name: stringOf(source.name ?? ""), target: readResourceTarget(source) };
    }),
    containerResource: optional(json.containerResource, (value) => {
      const source = objectOf(value);
      return { name: stringOf(source.name ?? ""), container: stringOf(source.container ?? ""), target: readResourceTarget(source) };
    }),
    external: optional(json.external, (value) => {
      const source = objectOf(value);
      const target = defined({
        value: optional(source.targetValue, quantityOf),
        averageValue: optional(source.targetAverageValue, quantityOf),
      });
      return {
        metric: readMetric(source, "metricSelector"),
        target: { type: target.value === undefined ? "AverageValue" : "Value", ...target },
      };
    }),
  });

export const metricStatusToV1 = ({ type, object, pods, resource, containerResource, external }: MetricStatus): JsonObject =>
  defined({
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      ...defined({ selector: object.metric.selector, averageValue: object.current.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      ...defined({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...resourceCurrent(resource.current) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...resourceCurrent(containerResource.current),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...defined({ metricSelector: external.metric.selector }),
      currentValue: external.current.value ?? "0",
      ...defined({ currentAverageValue: external.current.averageValue }),
    },
  });

export const metricStatusFromV1 = (json: JsonObject): MetricStatus =>
  defined({
    type: stringOf(json.type ?? ""),
    object: optional(json.object, (value) => {
      const source = objectOf(value);
      const current = {
        value: quantityOf(source.currentValue ?? "0"),
        ...defined({ averageValue: optional(source.averageValue, quantityOf) }),
      };
      return { describedObject: readReference(source.target), metric: readMetric(source, "selector"), current };
    }),
    pods: optional(json.pods, (value) => {
      const source = objectOf(value);
      return { metric: readMetric(source, "selector"), current: { averageValue: quantityOf(source.currentAverageValue ?? "0") } };
    }),
    resource: optional(json.resource, (value) => {
      const source = objectOf(value);
      return { name: stringOf(source.name ?? ""), current: readResourceCurrent(source) };
    }),
    containerResource: optional(json.containerResource, (value) => {
      const source = objectOf(value);
      return { name: stringOf(source.name ?? ""), container: stringOf(source.container ?? ""), current: readResourceCurrent(source) };
    }),
    external: optional(json.external, (value) => {
      const source = objectOf(value);
      const averageValue = optional(source.currentAverageValue, quantityOf);
      return {
        metric: readMetric(source, "metricSelector"),
        current: { value: quantityOf(source.currentValue ?? "0"), ...defined({ averageValue }) },
      };
    }),
  });

const reference = ({ kind, name, apiVersion }: CrossVersionObjectReference): JsonObject => ({ kind, name, ...defined({ apiVersion }) });

const resourceTarget = ({ averageUtilization, averageValue }: MetricTarget): JsonObject =>
  defined({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });

const resourceCurrent = ({ averageUtilization, averageValue }: MetricStatusValue): JsonObject => ({
  ...defined({ currentAverageUtilization: averageUtilization }),
  currentAverageValue: averageValue ?? "0",
});

function readReference(value: unknown): CrossVersionObjectReference {
  const { kind, name, apiVersion } = objectOf(value ?? {});
  return { kind: stringOf(kind ?? ""), name: stringOf(name ?? ""), ...defined({ apiVersion: optional(apiVersion, stringOf) }) };
}

const readMetric = (source: JsonObject, selectorField: string): MetricIdentifier => ({
  name: stringOf(source.metricName ?? ""),
  ...defined({ selector: optional(source[selectorField], (value) => objectOf(value) as LabelSelector) }),
});

/** v1 cannot leave the target value out: a zero beside an average means that there is none. */
function objectTarget(source: JsonObject): MetricTarget {
  const value = quantityOf(source.targetValue ?? "0");
  const averageValue = optional(source.averageValue, quantityOf);
  if (averageValue === undefined) return { type: "Value", value };
  return { type: "AverageValue", ...(Number.parseFloat(value) === 0 ? {} : { value }), averageValue };
}

function readResourceTarget(source: JsonObject): MetricTarget {
  const averageUtilization = optional(source.targetAverageUtilization, integerOf);
  const averageValue = optional(source.targetAverageValue, quantityOf);
  return { type: averageUtilization === undefined ? "AverageValue" : "Utilization", ...defined({ averageValue, averageUtilization }) };
}

const readResourceCurrent = (source: JsonObject): MetricStatusValue => ({
  averageValue: quantityOf(source.currentAverageValue ?? "0"),
  ...defined({ averageUtilization: optional(source.currentAverageUtilization, integerOf) }),
});

type MetricStatusValue = NonNullable<MetricStatus["resource"]>["current"];
