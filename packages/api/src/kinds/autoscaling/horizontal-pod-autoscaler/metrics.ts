/** What an autoscaler may aim at. */
import { field, parseApiVersion, parseQuantity, validateDns1123Label, validatePathSegmentName } from "@coxswain/machinery";
import type { ContainerResourceMetricSource, MetricIdentifier, MetricSpec, MetricTarget } from "@coxswain/types/autoscaling-v2";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { containerResourceName } from "../../../validation/pod-spec/resources.ts";
import { ratchet } from "../../../validation/ratcheting.ts";
import { validateReference } from "./reference.ts";

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/** The order in which Kubernetes checks them: only the first that is there is checked. */
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;

export function validateMetrics(out: Errors, path: string, metrics: readonly MetricSpec[], minReplicas: number | undefined): void {
  for (const [i, metric] of metrics.entries()) validateMetric(out, `${path}[${i}]`, metric);
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    out.push(field.forbidden(path, "must specify at least one Object or External metric to support scaling to zero replicas"));
  }
}

function validateMetric(out: Errors, path: string, metric: Readonly<MetricSpec>): void {
  const { type } = metric;
  const known = types.includes(type);
  if (!type) out.push(field.required(`${path}.type`, "must specify a metric source type"));
  if (!known) out.push(field.notSupported(`${path}.type`, type ?? "", types));
  const present = sources.filter((source) => metric[source] !== undefined);
  validateFirst(out, path, metric, present[0]);
  const expected = known ? `${type.charAt(0).toLowerCase()}${type.slice(1)}` : "";
  // Kubernetes reports an unknown type twice.
  if (!known) out.push(field.notSupported(`${path}.type`, type ?? "", types));
  if (known && !present.some((source) => source === expected)) {
    out.push(field.required(`${path}.${expected}`, "must populate information for the given metric source"));
  }
  if (present.length === 1) return;
  for (const source of present) {
    if (source !== expected) out.push(field.forbidden(`${path}.${source}`, "must populate the given metric source only"));
  }
}

function validateFirst(out: Errors, path: string, metric: Readonly<MetricSpec>, source: (typeof sources)[number] | undefined): void {
  const { object, external, pods, resource, containerResource } = metric;
  const at = `${path}.${source}`;
  const averageValue = `${at}.target.averageValue`;
  if (source === "object" && object !== undefined) {
    validateReference(out, `${at}.describedObject`, object.describedObject);
    const { apiVersion = "" } = object.describedObject ?? {};
    if (parseApiVersion(apiVersion) === undefined) {
      const why = `unexpected GroupVersion string: ${apiVersion}`;
      ratchet(out, "metric versions", () => out.push(field.invalid(`${at}.describedObject.apiVersion`, apiVersion, why)));
    }
    validateNameAndTarget(out, at, object);
    if (!hasValue(object.target)) out.push(field.required(averageValue, "must set either a target value or averageValue"));
  } else if (source === "external" && external !== undefined) {
    validateNameAndTarget(out, at, external);
    if (!hasValue(external.target)) out.push(field.required(averageValue, "must set either a target value for metric or a per-pod target"));
    if (external.target?.value !== undefined && external.target.averageValue !== undefined) {
      out.push(field.forbidden(`${at}.target.value`, "may not set both a target value for metric and a per-pod target"));
    }
  } else if (source === "pods" && pods !== undefined) {
    validateNameAndTarget(out, at, pods);
    if (pods.target?.averageValue === undefined) out.push(field.required(averageValue, "must specify a positive target averageValue"));
  } else if (source === "resource" && resource !== undefined) {
    if (!resource.name) out.push(field.required(`${at}.name`, "must specify a resource name"));
    validateUtilization(out, `${at}.target`, resource.target);
  } else if (source === "containerResource" && containerResource !== undefined) {
    validateContainer(out, at, containerResource);
  }
}

function validateContainer(out: Errors, path: string, { name, container, target }: Readonly<ContainerResourceMetricSource>): void {
  if (!name) out.push(field.required(`${path}.name`, "must specify a resource name"));
  else containerResourceName(out, `${path}.name`, name);
  if (!container) out.push(field.required(`${path}.container`, "must specify a container"));
  else addInvalid(out, `${path}.container`, container, validateDns1123Label(container));
  validateUtilization(out, `${path}.target`, target);
}

interface Measured {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

function validateNameAndTarget(out: Errors, path: string, { metric, target }: Measured): void {
  if (!metric?.name) out.push(field.required(`${path}.metric.name`, "must specify a metric name"));
  else addInvalid(out, `${path}.metric.name`, metric.name, validatePathSegmentName(metric.name));
  validateTarget(out, `${path}.target`, target);
}

const hasValue = (target: Readonly<MetricTarget> | undefined): boolean => target?.value !== undefined || target?.averageValue !== undefined;

function validateUtilization(out: Errors, path: string, target: Readonly<MetricTarget> | undefined): void {
  validateTarget(out, path, target);
  const [average, utilization] = [target?.averageValue, target?.averageUtilization];
  if (average === undefined && utilization === undefined) {
    out.push(field.required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization"));
  }
  if (average !== undefined && utilization !== undefined) {
    out.push(field.forbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization"));
  }
}

function validateTarget(out: Errors, path: string, target: Readonly<MetricTarget> | undefined): void {
  const { type = "", value, averageValue, averageUtilization } = target ?? {};
  if (type === "") out.push(field.required(`${path}.type`, "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    out.push(field.invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const [name, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && parseQuantity(amount)?.sign() !== 1) out.push(field.invalid(`${path}.${name}`, amount, "must be positive"));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    out.push(field.invalid(`${path}.averageUtilization`, averageUtilization, "must be greater than 0"));
  }
}
