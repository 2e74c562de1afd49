/** What a rule of x-kubernetes-validations has to say beside its expressions. */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { conversionProblem } from "./conversion.ts";
import { findField } from "./field-path.ts";
import { maxErrors } from "./limits.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

export function ruleFormErrors(out: FieldError[], schema: JsonSchema, path: string): void {
  let converts: boolean | undefined;
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    if (out.length >= maxErrors) return;
    const at = `${path}.x-kubernetes-validations[${i}]`;
    textErrors(out, rule, at);
    const { reason, fieldPath } = rule;
    if (reason !== undefined && !reasons.includes(reason)) out.push(field.notSupported(`${at}.reason`, reason, reasons));
    if (!fieldPath) continue;
    fieldPathErrors(out, fieldPath, `${at}.fieldPath`);
    if (typeof findField(fieldPath, schema, { brackets: true }) !== "string") continue;
    // Without a structural form, Kubernetes takes any path.
    converts ??= conversionProblem(schema) === undefined;
    if (converts) out.push(field.invalid(`${at}.fieldPath`, fieldPath, "must be a valid path"));
  }
}

function textErrors(out: FieldError[], { rule = "", message = "", messageExpression = "" }: ValidationRule, path: string): void {
  if (isBlank(rule)) out.push(field.required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && isBlank(message)) out.push(field.invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (hasLineBreak(message.trim())) out.push(field.invalid(`${path}.message`, message, "must not contain line breaks"));
  else if (hasLineBreak(rule.trim()) && isBlank(message)) {
    out.push(field.required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && isBlank(messageExpression)) {
    out.push(field.required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
}

function fieldPathErrors(out: FieldError[], fieldPath: string, path: string): void {
  if (isBlank(fieldPath)) out.push(field.invalid(path, fieldPath, "must be non-empty if specified"));
  if (hasLineBreak(fieldPath)) out.push(field.invalid(path, fieldPath, "must not contain line breaks"));
}

const isBlank = (text: string): boolean => text.trim() === "";
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);
