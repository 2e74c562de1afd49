import { field, isQualifiedName } from "@coxswain/machinery";
import { ageCell } from "../../age.ts";
import { defineKind } from "../../kind.ts";
import { utf8Length } from "../../meta/utf8-length.ts";
import { type Errors, oneOf, refuse } from "../../pod/checks.ts";
import type { AuditAnnotation, ValidatingAdmissionPolicy, Validation } from "../../types/admissionregistration-v1.ts";
import { paramKindCell, validatePolicySpec } from "./policy.ts";
import { reservedNameWarnings } from "./reserved-names.ts";
import { defaultMatchResources } from "./rules.ts";

const maxAuditAnnotations = 20;
const maxValueExpressionBytes = 5 * 1024;

/** @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ */
export const validatingAdmissionPolicy = defineKind<ValidatingAdmissionPolicy>({
  type: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy",
  finalizers: "any",
  unconditionalUpdate: false,
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  validate: ({ metadata, spec = {} }) => {
    const out: Errors = [];
    validatePolicySpec(out, "spec", spec);
    const { validations = [], auditAnnotations = [] } = spec;
    if (validations.length === 0 && auditAnnotations.length === 0) {
      for (const name of ["validations", "auditAnnotations"]) {
        out.push(field.required(`spec.${name}`, "validations or auditAnnotations must contain at least one item"));
      }
    }
    for (const [i, validation] of validations.entries()) validateValidation(out, `spec.validations[${i}]`, validation);
    validateAuditAnnotations(out, "spec.auditAnnotations", auditAnnotations, metadata?.name ?? "");
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  cells: ({ metadata, spec }, now) => [
    metadata?.name ?? "",
    spec?.validations?.length ?? 0,
    paramKindCell(spec?.paramKind),
    ageCell(metadata?.creationTimestamp, now),
  ],
});

function validateValidation(out: Errors, path: string, { expression, message, messageExpression, reason }: Readonly<Validation>): void {
  if (!expression?.trim()) out.push(field.required(`${path}.expression`, "expression is not specified"));
  for (const [name, value] of Object.entries({ messageExpression, message })) {
    if (value && value.trim() === "") out.push(field.invalid(`${path}.${name}`, value, "must be non-empty if specified"));
  }
  if (message !== undefined && /[\r\n]/.test(message.trim())) {
    out.push(field.invalid(`${path}.message`, message, "must not contain line breaks"));
  }
  oneOf(out, `${path}.reason`, reason, ["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

function validateAuditAnnotations(out: Errors, path: string, annotations: readonly AuditAnnotation[], policy: string): void {
  if (annotations.length > maxAuditAnnotations) {
    out.push(field.invalid(path, annotations, `must not have more than ${maxAuditAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [i, { key, valueExpression = "" }] of annotations.entries()) {
    const at = `${path}[${i}]`;
    if (policy === "") out.push(field.invalid(`${at}.key`, key, "requires metadata.name be non-empty"));
    else refuse(out, `${at}.key`, `${policy}/${key}`, isQualifiedName(`${policy}/${key}`));
    const expression = valueExpression.trim();
    if (expression === "") out.push(field.required(`${at}.valueExpression`, "valueExpression is not specified"));
    else if (utf8Length(expression) > maxValueExpressionBytes) {
      out.push(field.required(`${at}.valueExpression`, `must not exceed ${maxValueExpressionBytes} bytes in length`));
    }
    if (keys.has(key)) out.push(field.duplicate(`${at}.key`, key));
    keys.add(key);
  }
}
