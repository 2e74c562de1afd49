/** NodeResourcesFitArgs of kubescheduler.config.k8s.io/v1. */
import { field, validateQualifiedName } from "@coxswain/machinery";
import { type Args, checkRange, isRecord, listAt, refuseAny } from "../plugin-args.ts";
import { readResources } from "./resource-args.ts";
import type { ShapePoint, Strategy } from "./scorers.ts";

export interface FitArgs {
  /** Extended resources that an extender looks after. */
  readonly ignores: (resource: string) => boolean;
  readonly strategy: Strategy;
}

/** @throws Error naming what is wrong */
export function readFitArgs(args: Args): FitArgs {
  const errors: field.FieldError[] = [];
  const resources = new Set(listAt(args, "ignoredResources", errors).map(String));
  const groups = new Set(listAt(args, "ignoredResourceGroups", errors).map(String));
  checkNames(errors, "ignoredResources", resources);
  checkNames(errors, "ignoredResourceGroups", groups);
  const strategy = readStrategy(errors, args.scoringStrategy);
  refuseAny(errors);
  return { ignores: (resource) => isExtended(resource) && (resources.has(resource) || groups.has(resource.split("/")[0] ?? "")), strategy };
}

/** What Kubernetes itself defines is never ignored. */
const isExtended = (resource: string): boolean => resource.includes("/") && !/(^|\.)kubernetes\.io\//.test(resource);

function checkNames(errors: field.FieldError[], list: string, names: ReadonlySet<string>): void {
  for (const [i, name] of [...names].entries()) {
    const path = `${list}[${i}]`;
    if (list === "ignoredResourceGroups" && name.includes("/"))
      errors.push(field.invalid(path, name, "resource group name can't contain '/'"));
    const problems = validateQualifiedName(name);
    if (problems.length > 0) errors.push(field.invalid(path, name, problems.join("; ")));
  }
}

const types = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] as const;

function readStrategy(errors: field.FieldError[], given: unknown): Strategy {
  const path = "scoringStrategy";
  const strategy = isRecord(given) ? given : { type: "LeastAllocated" };
  const type = types.find((one) => one === strategy.type);
  if (type === undefined) errors.push(field.notSupported(`${path}.type`, strategy.type ?? "", types));
  const resources = readResources(strategy.resources);
  for (const [i, { name, weight }] of resources.entries())
    checkRange(errors, `${path}.resources[${i}].weight`, weight, {
      range: [1, 100],
      message: `resource weight of ${name} not in valid range (0, 100]`,
    });
  const shape = readShape(errors, `${path}.requestedToCapacityRatio`, type, strategy.requestedToCapacityRatio);
  return { type: type ?? "LeastAllocated", resources, shape };
}

function readShape(errors: field.FieldError[], path: string, type: string | undefined, ratio: unknown): readonly ShapePoint[] {
  if (type !== "RequestedToCapacityRatio") {
    if (isRecord(ratio)) errors.push(field.forbidden(path, "must be nil when type is not RequestedToCapacityRatio"));
    return [];
  }
  if (!isRecord(ratio)) {
    errors.push(field.required(path, "must be specified when type is RequestedToCapacityRatio"));
    return [];
  }
  const shape = listAt(ratio, "shape", errors).map((point) => ({
    utilization: Number((isRecord(point) ? point.utilization : undefined) ?? 0),
    score: Number((isRecord(point) ? point.score : undefined) ?? 0),
  }));
  checkShape(errors, `${path}.shape`, shape);
  return shape;
}

function checkShape(errors: field.FieldError[], path: string, shape: readonly ShapePoint[]): void {
  if (shape.length === 0) errors.push(field.required(path, "at least one point must be specified"));
  const unsorted = shape.findIndex(({ utilization }, i) => i > 0 && utilization <= (shape[i - 1]?.utilization ?? 0));
  if (unsorted > 0)
    errors.push(
      field.invalid(`${path}[${unsorted}].utilization`, shape[unsorted]?.utilization, "values must be sorted in increasing order"),
    );
  for (const [i, { utilization, score }] of shape.entries()) {
    checkRange(errors, `${path}[${i}].utilization`, utilization, { range: [0, 100], message: "not in valid range [0, 100]" });
    checkRange(errors, `${path}[${i}].score`, score, { range: [0, 10], message: "not in valid range [0, 10]" });
  }
}
