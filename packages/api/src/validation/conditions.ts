import { field, regexMessage, validateQualifiedName } from "@coxswain/machinery";
import type { Condition } from "@coxswain/types/meta-v1";
import { addInvalid, type Errors } from "./checks.ts";
import { utf8Length } from "./utf8-length.ts";

const reasonForm = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reason = new RegExp(`^${reasonForm}$`);
const reasonMessage = regexMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonForm,
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB",
);
const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;

/** @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#condition-v1-meta */
export function validateConditions(out: Errors, path: string, conditions: readonly Condition[]): void {
  const types = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    if (types.has(condition.type)) out.push(field.duplicate(`${path}[${i}].type`, condition.type));
    types.add(condition.type);
    validateCondition(out, `${path}[${i}]`, condition);
  }
}

function validateCondition(out: Errors, path: string, condition: Condition): void {
  const { type = "", status = "", observedGeneration = 0, lastTransitionTime, message = "" } = condition;
  addInvalid(out, `${path}.type`, type, validateQualifiedName(type));
  const statuses = ["False", "True", "Unknown"];
  if (!statuses.includes(status)) out.push(field.notSupported(`${path}.status`, status, statuses));
  if (observedGeneration < 0) {
    out.push(field.invalid(`${path}.observedGeneration`, observedGeneration, "must be greater than or equal to zero"));
  }
  if (!lastTransitionTime) out.push(field.required(`${path}.lastTransitionTime`));
  if (!condition.reason) out.push(field.required(`${path}.reason`));
  else {
    if (!reason.test(condition.reason)) out.push(field.invalid(`${path}.reason`, condition.reason, reasonMessage));
    if (utf8Length(condition.reason) > maxReasonBytes) out.push(field.tooLong(`${path}.reason`, maxReasonBytes));
  }
  if (utf8Length(message) > maxMessageBytes) out.push(field.tooLong(`${path}.message`, maxMessageBytes));
}
