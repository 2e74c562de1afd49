import { field, validateQualifiedName } from "@coxswain/machinery";
import type { AuditAnnotation, ValidatingAdmissionPolicy, Validation } from "@coxswain/types/admissionregistration-v1";
import type { Validation as KindValidation } from "../../../strategy/strategy.ts";
import type { ExpressionCompiler } from "../../../validation/admissionregistration/expressions.ts";
import { expressions } from "../../../validation/admissionregistration/lazy-expressions.ts";
import { validatePolicySpec } from "../../../validation/admissionregistration/policy.ts";
import { addInvalid, type Errors, oneOf } from "../../../validation/checks.ts";
import { utf8Length } from "../../../validation/utf8-length.ts";

export const validatingAdmissionPolicyValidation: KindValidation<ValidatingAdmissionPolicy> = {
  validate: ({ metadata, spec = {} }, prev) => {
    const out: Errors = [];
    const compiler = expressions().createExpressionCompiler({
      params: spec.paramKind !== undefined,
      variables: (spec.variables ?? []).length > 0,
    });
    validatePolicySpec(out, "spec", spec, { compiler, prev: prev?.spec });
    const { validations = [], auditAnnotations = [] } = spec;
    if (validations.length === 0 && auditAnnotations.length === 0) {
      for (const name of ["validations", "auditAnnotations"]) {
        out.push(field.required(`spec.${name}`, "validations or auditAnnotations must contain at least one item"));
      }
    }
    for (const [i, validation] of validations.entries()) validateValidation(out, `spec.validations[${i}]`, validation, compiler);
    validateAuditAnnotations(out, metadata?.name ?? "", auditAnnotations, compiler);
    return out;
  },
};

const maxAuditAnnotations = 20;

const maxValueExpressionBytes = 5 * 1024;

function validateValidation(out: Errors, path: string, validation: Readonly<Validation>, compiler: ExpressionCompiler): void {
  const { expression, message, messageExpression, reason } = validation;
  if (!expression?.trim()) out.push(field.required(`${path}.expression`, "expression is not specified"));
  else compiler.check(out, `${path}.expression`, expression, "condition");
  const empty = "must be non-empty if specified";
  if (messageExpression) {
    const at = `${path}.messageExpression`;
    if (messageExpression.trim() === "") out.push(field.invalid(at, messageExpression, empty));
    else compiler.check(out, at, messageExpression, "message");
  }
  if (message) {
    const trimmed = message.trim();
    if (trimmed === "") out.push(field.invalid(`${path}.message`, message, empty));
    else if (/[\r\n]/.test(trimmed)) out.push(field.invalid(`${path}.message`, message, "must not contain line breaks"));
  }
  oneOf(out, `${path}.reason`, reason, ["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

function validateAuditAnnotations(
  out: Errors,
  policy: string,
  annotations: readonly AuditAnnotation[],
  compiler: ExpressionCompiler,
): void {
  const path = "spec.auditAnnotations";
  if (annotations.length > maxAuditAnnotations) {
    // Shown as the original shows what has no JSON form of its own.
    const shown = annotations.map(({ key: Key, valueExpression: ValueExpression }) => ({ Key, ValueExpression }));
    out.push(field.invalid(path, shown, `must not have more than ${maxAuditAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [i, { key, valueExpression = "" }] of annotations.entries()) {
    const at = `${path}[${i}]`;
    if (policy === "") out.push(field.invalid(`${at}.key`, key, "requires metadata.name be non-empty"));
    else addInvalid(out, `${at}.key`, `${policy}/${key}`, validateQualifiedName(`${policy}/${key}`));
    const expression = valueExpression.trim();
    if (expression === "") out.push(field.required(`${at}.valueExpression`, "valueExpression is not specified"));
    else if (utf8Length(expression) > maxValueExpressionBytes) {
      out.push(field.required(`${at}.valueExpression`, `must not exceed ${maxValueExpressionBytes} bytes in length`));
    } else compiler.check(out, `${at}.valueExpression`, { text: expression, shown: valueExpression }, "auditAnnotation");
    if (keys.has(key)) out.push(field.duplicate(`${at}.key`, key));
    keys.add(key);
  }
}
