import { field } from "@coxswain/machinery";
import type { Errors } from "../checks.ts";
import { validateLabelKey } from "../metadata/parts.ts";
import { itself, type ListRules, refuseDuplicates, validateList } from "./lists.ts";

const maxConditions = 4;

const rules: ListRules<string> = {
  max: maxConditions,
  validate: (out, path, condition) => validateLabelKey(out, condition, path),
};

interface Bound {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** What must come true of a device before its pod is bound, and what then says that it never will. */
export function validateBindingConditions(out: Errors, path: string, { bindingConditions, bindingFailureConditions }: Bound): void {
  const [good, bad] = [bindingConditions ?? [], bindingFailureConditions ?? []];
  validateList(out, `${path}.bindingConditions`, good, rules);
  validateList(out, `${path}.bindingFailureConditions`, bad, rules);
  refuseDuplicates(out, `${path}.bindingConditions`, good, { keyOf: itself });
  refuseDuplicates(out, `${path}.bindingFailureConditions`, bad, { keyOf: itself });
  for (const [i, condition] of bad.entries()) {
    if (!good.includes(condition)) continue;
    const why = "bindingFailureConditions must not overlap with bindingConditions";
    out.push(field.invalid(`${path}.bindingFailureConditions[${i}]`, condition, why));
  }
  if (good.length === 0 && bad.length > 0) {
    const why = "bindingConditions are required to use bindingFailureConditions";
    out.push(field.invalid(`${path}.bindingConditions`, bindingConditions ?? null, why));
  }
  if (bad.length === 0 && good.length > 0) {
    const why = "bindingFailureConditions are required to use bindingConditions";
    out.push(field.invalid(`${path}.bindingFailureConditions`, bindingFailureConditions ?? null, why));
  }
}
