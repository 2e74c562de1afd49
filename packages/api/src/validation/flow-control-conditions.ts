import { field, goQuote } from "@coxswain/machinery";
import type { FlowSchemaCondition } from "@coxswain/types/flowcontrol-v1";
import type { Errors } from "./checks.ts";

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

/** Whether a FlowSchema names a priority level that is not there: the condition, but for its time. */
export const danglingCondition = (level: string, exists: boolean): FlowSchemaCondition => ({
  type: "Dangling",
  status: exists ? "False" : "True",
  reason: exists ? "Found" : "NotFound",
  message: `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(level)} ${exists ? "and it exists" : "but there is no such object"}`,
});
