/** Labels and the selectors over them, as fields of an object. */
import { field, isLabelValue, isQualifiedName } from "@coxswain/machinery";
import type { LabelSelector, LabelSelectorRequirement } from "../types/meta-v1.ts";
import { type Errors, refuse } from "./checks.ts";

/** Keys and values are both reported at the map's own path. */
export function validateLabels(out: Errors, path: string, labels: Readonly<Record<string, string>> | undefined): void {
  if (!labels) return;
  for (const key of Object.keys(labels)) {
    refuse(out, path, key, isQualifiedName(key));
    const value = labels[key] ?? "";
    refuse(out, path, value, isLabelValue(value));
  }
}

export const validateLabelName = (out: Errors, path: string, key: string): void => refuse(out, path, key, isQualifiedName(key));

export function validateLabelSelector(out: Errors, path: string, selector: Readonly<LabelSelector> | undefined): void {
  if (!selector) return;
  validateLabels(out, `${path}.matchLabels`, selector.matchLabels);
  selector.matchExpressions?.forEach((requirement, i) => {
    validateRequirement(out, `${path}.matchExpressions[${i}]`, requirement);
  });
}

function validateRequirement(out: Errors, path: string, { key, operator, values = [] }: Readonly<LabelSelectorRequirement>): void {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) out.push(field.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        out.push(field.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    default:
      out.push(field.invalid(`${path}.operator`, operator, "not a valid selector operator"));
  }
  validateLabelName(out, `${path}.key`, key);
  values.forEach((value, i) => {
    refuse(out, `${path}.values[${i}]`, value, isLabelValue(value));
  });
}

export const isEmptySelector = (selector: Readonly<LabelSelector>): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;

/** What a workload's selector says of its template's labels; `malformed` when it is no selector at all. An absent selector matches nothing. */
export function matchSelector(
  selector: Readonly<LabelSelector> | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): "matches" | "differs" | "malformed" {
  if (!selector) return "differs";
  if (!(selector.matchExpressions ?? []).every(isWellFormed)) return "malformed";
  const own = (key: string): string | undefined => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined);
  const matches =
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => own(key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(own(requirement.key), requirement));
  return matches ? "matches" : "differs";
}

function isWellFormed({ key, operator, values = [] }: LabelSelectorRequirement): boolean {
  if (isQualifiedName(key).length > 0) return false;
  if (operator === "In" || operator === "NotIn") return values.length > 0 && values.every((v) => isLabelValue(v).length === 0);
  return (operator === "Exists" || operator === "DoesNotExist") && values.length === 0;
}

function meets(value: string | undefined, { operator, values = [] }: LabelSelectorRequirement): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/** As `kubectl get -o wide` shows it: `app=web,tier in (a,b),!gone`. */
export function formatSelector(selector: Readonly<LabelSelector> | undefined): string {
  if (!selector) return "<none>";
  const parts = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((r) => ({ key: r.key, text: formatRequirement(r) })),
  ];
  if (parts.length === 0) return "<none>";
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((p) => p.text)
    .join(",");
}

function formatRequirement({ key, operator, values = [] }: LabelSelectorRequirement): string {
  const list = `(${[...values].sort().join(",")})`;
  switch (operator) {
    case "In":
      return `${key} in ${list}`;
    case "NotIn":
      return `${key} notin ${list}`;
    case "Exists":
      return key;
    default:
      return `!${key}`;
  }
}
