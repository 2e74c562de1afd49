import { field, isQualifiedName } from "@coxswain/machinery";
import { type Errors, refuse } from "../../pod/checks.ts";
import type { MatchCondition } from "../../types/admissionregistration-v1.ts";

const maxConditions = 64;

/** Whether the expressions compile is not checked here. */
export function validateMatchConditions(out: Errors, path: string, conditions: readonly MatchCondition[]): void {
  if (conditions.length > maxConditions) out.push(field.tooMany(path, conditions.length, maxConditions));
  const names = new Set<string>();
  for (const [i, { name, expression }] of conditions.entries()) {
    if (!expression?.trim()) out.push(field.required(`${path}[${i}].expression`));
    if (!name) {
      out.push(field.required(`${path}[${i}].name`));
      continue;
    }
    refuse(out, `${path}[${i}].name`, name, isQualifiedName(name));
    if (names.has(name)) out.push(field.duplicate(`${path}[${i}].name`, name));
    names.add(name);
  }
}
