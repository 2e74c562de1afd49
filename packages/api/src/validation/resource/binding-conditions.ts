import { field } from "@coxswain/machinery";
import type { Errors } from "../checks.ts";
import { validateLabelKey } from "../metadata/parts.ts";
import { itself, refuseDuplicates, validateList } from "./lists.ts";

const maxConditions = 4;

interface Bound {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

/** What must come true of a device before its pod is bound, and what then says that it never will. */
export function validateBindingConditions(out: Errors, path: string, { bindingConditions, bindingFailureConditions }: Bound): void {
  const [good, bad] = [bindingConditions ?? [], bindingFailureConditions ?? []];
  const check = (errors: Errors, at: string, condition: string) => validateLabelKey(errors, condition, at);
  validateList(out, `${path}.bindingConditions`, good, maxConditions, check);
  validateList(out, `${path}.bindingFailureConditions`, bad, maxConditions, check);
  refuseDuplicates(out, `${path}.bindingConditions`, good, itself);
  refuseDuplicates(out, `${path}.bindingFailureConditions`, bad, itself);
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
