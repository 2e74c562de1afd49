/** The texts of a rule's errors. */
import type { FieldError } from "@coxswain/machinery";
import { goQuote } from "@coxswain/machinery";
import type { ValidationRule } from "../structural/schema.ts";
import { duplicateValue, showValue } from "../validate/problem.ts";

export const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** A rule that could not be answered; the value is not shown, but its type. */
export const unanswered = (field: string, type: string | undefined, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  message: `Invalid value: ${showValue(type ?? "")}: ${detail}`,
});

export function evaluationProblem(message: string, rule: ValidationRule): string {
  if (message.startsWith("no such overload")) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`;
  }
  return `${message} evaluating rule: ${nameOf(rule)}`;
}

export const tooCostly = (message: string, rule: ValidationRule): string =>
  `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`;

/** That the message, too, cost what it may not. */
export const messageProblem = (kind: "outOfBudget" | "tooCostly", { messageExpression = "" }: ValidationRule): string =>
  kind === "outOfBudget"
    ? "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
    : `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(messageExpression)}`;

/** Without a message of its own. */
export const plainMessage = (rule: ValidationRule): string => (rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`);

const nameOf = ({ rule, message }: ValidationRule): string => (message ? message : rule).trim();

interface BrokenBy {
  readonly value: unknown;
  /** The schema's. */
  readonly type: string | undefined;
}

/** A rule that does not hold. Objects and lists are not shown, and where something is there twice no reason is. */
export function ruleBroken(field: string, { type, value }: BrokenBy, detail: string, reason: string | undefined): FieldError {
  const shown = type === "object" || type === "array" ? undefined : showValue(value);
  switch (reason) {
    case "FieldValueForbidden":
      return { type: reason, field, message: `Forbidden: ${detail}` };
    case "FieldValueRequired":
      return { type: reason, field, message: `Required value: ${detail}` };
    case "FieldValueDuplicate":
      return shown === undefined ? { type: reason, field, message: "Duplicate value" } : duplicateValue(field, value);
    default:
      return {
        type: "FieldValueInvalid",
        field,
        message: shown === undefined ? `Invalid value: ${detail}` : `Invalid value: ${shown}: ${detail}`,
      };
  }
}
