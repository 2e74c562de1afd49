import { field, parseQuantity, type Quantity, quantityOf, validateQualifiedName } from "@coxswain/machinery";
import type { LimitRange, LimitRangeItem } from "@coxswain/types/core-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { canOvercommit, computeResourceName, containerResourceName } from "../../../validation/pod-spec/resources.ts";

export const limitRangeValidation: Validation<LimitRange> = {
  validate: ({ spec }) => {
    const out: Errors = [];
    const types = new Set<string>();
    for (const [i, limit] of (spec?.limits ?? []).entries()) {
      const path = `spec.limits[${i}]`;
      validateType(out, `${path}.type`, limit.type, types);
      validateItem(out, path, limit);
    }
    return out;
  },
};

const standardTypes = ["Pod", "Container", "PersistentVolumeClaim"];

export const bounds = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** Beyond this, ratios are computed from whole units. */
const maxMilli = (2n ** 63n - 1n) / 1000n;

function validateType(out: Errors, path: string, type: string, seen: Set<string>): void {
  const problems = validateQualifiedName(type);
  addInvalid(out, path, type, problems);
  if (problems.length === 0 && !type.includes("/") && !standardTypes.includes(type)) {
    out.push(field.invalid(path, type, "must be a standard limit type or fully qualified"));
  }
  if (seen.has(type)) out.push(field.duplicate(path, type));
  seen.add(type);
}

function validateItem(out: Errors, path: string, limit: Readonly<LimitRangeItem>): void {
  const { type } = limit;
  const checkName = type === "Pod" || type === "Container" ? containerResourceName : computeResourceName;
  const names = new Set<string>();
  for (const bound of bounds) {
    const amounts = Object.keys(limit[bound] ?? {});
    if (type === "Pod" && (bound === "default" || bound === "defaultRequest")) {
      if (amounts.length > 0) out.push(field.forbidden(`${path}.${bound}`, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const name of amounts) {
      checkName(out, `${path}.${bound}[${name}]`, name);
      names.add(name);
    }
  }
  if (type === "PersistentVolumeClaim" && limit.min?.storage === undefined && limit.max?.storage === undefined) {
    out.push(field.required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided"));
  }
  for (const name of names) validateOrder(out, path, limit, name);
}

/** min ≤ defaultRequest ≤ default ≤ max, as far as they are there. */
function validateOrder(out: Errors, path: string, limit: Readonly<LimitRangeItem>, name: string): void {
  const amount = (bound: (typeof bounds)[number]): Quantity | undefined =>
    limit.type === "Pod" && bound.startsWith("default") ? undefined : parseQuantity(limit[bound]?.[name] ?? "");
  const [min, max, usual, request, ratio] = (["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"] as const).map(amount);
  const above = (a: Quantity | undefined, b: Quantity | undefined): boolean => a !== undefined && b !== undefined && a.compare(b) > 0;
  const fail = (bound: string, shown: Quantity | undefined, why: string) =>
    out.push(field.invalid(`${path}.${bound}[${name}]`, String(shown), why));
  if (above(min, max)) fail("min", min, `min value ${min} is greater than max value ${max}`);
  if (above(min, request)) fail("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (above(request, max)) fail("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (above(request, usual))
    fail("defaultRequest", request, `default request value ${request} is greater than default limit value ${usual}`);
  if (above(min, usual)) fail("default", min, `min value ${min} is greater than default value ${usual}`);
  if (above(usual, max)) fail("default", max, `default value ${usual} is greater than max value ${max}`);
  if (ratio !== undefined && ratio.compare(quantityOf(1)) < 0) fail("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = ratioOf(max, min, ratio);
    if (most.asked > most.possible) {
      fail("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${most.possible.toFixed(6)}`);
    }
  }
  if (!canOvercommit(name) && usual !== undefined && request !== undefined && usual.compare(request) !== 0) {
    fail("defaultRequest", request, `default value ${usual} must equal to defaultRequest value ${request} in ${name}`);
  }
}

function ratioOf(max: Quantity, min: Quantity, ratio: Quantity): { asked: number; possible: number } {
  const fine = [max, min, ratio].every((amount) => amount.value() < maxMilli);
  if (fine) return { asked: Number(ratio.milli()) / 1000, possible: Number(max.milli()) / Number(min.milli()) };
  return { asked: Number(ratio.value()), possible: Number(max.value()) / Number(min.value()) };
}
