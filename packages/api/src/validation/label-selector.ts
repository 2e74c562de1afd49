/** Selectors over labels, as fields of an object. */
import { field, labelSelectorFromObject, validateLabelValue } from "@coxswain/machinery";
import type { LabelSelector, LabelSelectorRequirement } from "@coxswain/types/meta-v1";
import { addInvalid, type Errors, immutable } from "./checks.ts";
import { validateLabelKey, validateLabels } from "./metadata/parts.ts";
import { ratchet } from "./ratcheting.ts";

/** `valuesRule` is the ratcheted rule that values of expressions break, where older objects may have wrong ones. */
export function validateLabelSelector(out: Errors, path: string, selector: Readonly<LabelSelector> | undefined, valuesRule?: string): void {
  if (!selector) return;
  if (selector.matchLabels) validateLabels(out, selector.matchLabels, `${path}.matchLabels`);
  selector.matchExpressions?.forEach((requirement, i) => {
    validateRequirement(out, `${path}.matchExpressions[${i}]`, requirement, valuesRule);
  });
}

function validateRequirement(
  out: Errors,
  path: string,
  { key, operator, values = [] }: Readonly<LabelSelectorRequirement>,
  valuesRule: string | undefined,
): void {
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
  validateLabelKey(out, key, `${path}.key`);
  const checkValues = () => {
    values.forEach((value, i) => {
      addInvalid(out, `${path}.values[${i}]`, value, validateLabelValue(value));
    });
  };
  if (valuesRule === undefined) checkValues();
  else ratchet(out, valuesRule, checkValues);
}

export const isEmptySelector = (selector: Readonly<LabelSelector>): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;

/** What a workload's selector says of its template's labels; `malformed` when it is no selector at all. An absent selector matches nothing. */
export function matchSelector(
  selector: Readonly<LabelSelector> | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): "matches" | "differs" | "malformed" {
  try {
    return labelSelectorFromObject(selector ?? undefined).matches(labels) ? "matches" : "differs";
  } catch {
    return "malformed";
  }
}

/** Messages show maps in the order of their keys. */
export const shownLabels = (labels: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | null =>
  labels ? Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) : null;

/** As messages show it. */
export const shownSelector = (selector: Readonly<LabelSelector> | undefined): Readonly<LabelSelector> | null => {
  if (!selector) return null;
  const { matchLabels, matchExpressions } = selector;
  return { ...(matchLabels ? { matchLabels: shownLabels(matchLabels) ?? {} } : {}), ...(matchExpressions ? { matchExpressions } : {}) };
};

/** A controller that changed its mind about which pods are its own would leave the old ones behind. */
export function immutableSelector(next: Readonly<LabelSelector> | undefined, prev: Readonly<LabelSelector> | undefined): Errors {
  const out: Errors = [];
  immutable(out, "spec.selector", shownSelector(next), shownSelector(prev));
  return out;
}

/** As `kubectl get -o wide` shows it: `app=web,tier in (a,b),!gone`. */
export function formatSelector(selector: Readonly<LabelSelector> | undefined): string {
  try {
    return labelSelectorFromObject(selector ?? undefined).toString() || "<none>";
  } catch {
    return "<error>";
  }
}
