import { field } from "@coxswain/machinery";
import type { Errors } from "../../pod/checks.ts";

/** Every condition has a type of its own. */
export function validateConditionTypes(out: Errors, conditions: readonly { readonly type?: string }[]): void {
  const seen = new Set<string>();
  for (const [i, { type = "" }] of conditions.entries()) {
    const path = `status.conditions[${i}].type`;
    if (seen.has(type)) out.push(field.duplicate(path, type));
    seen.add(type);
    if (type === "") out.push(field.required(path));
  }
}
