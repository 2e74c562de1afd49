/** What validating policies leave for the audit log. */
import { stringifyJson } from "@coxswain/machinery";
import type { AdmissionRequest } from "../../../contracts/admission.ts";
import type { PolicyBinding } from "../policy-hooks.ts";
import type { ValidationFailure } from "./validate-policy.ts";

/** In bytes; what is longer is cut. */
const maxValueLength = 10 * 1024;

/** Several bindings and parameters may have a value each. */
export class AuditAnnotations {
  readonly #values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const bytes = Buffer.from(value);
    const kept = bytes.byteLength > maxValueLength ? bytes.subarray(0, maxValueLength).toString() : value;
    const known = this.#values.get(key) ?? new Set();
    known.add(kept);
    this.#values.set(key, known);
  }

  publish(request: AdmissionRequest): void {
    for (const [key, values] of this.#values) annotate(request, key, [...values].join(", "));
  }
}

interface AuditedFailure {
  readonly policy: string;
  readonly binding: PolicyBinding;
  readonly failure: ValidationFailure;
}

/** That a validation has failed whose binding wants it noted. */
export function auditFailure(request: AdmissionRequest, { policy, binding, failure }: AuditedFailure): void {
  const { name, validationActions } = binding;
  const value = [{ message: failure.message, policy, binding: name, expressionIndex: failure.index, validationActions }];
  annotate(request, "validation.policy.admission.k8s.io/validation_failure", stringifyJson(value));
}

/** What is there stays. */
function annotate(request: AdmissionRequest, key: string, value: string): void {
  request.auditAnnotations ??= new Map();
  if (!request.auditAnnotations.has(key)) request.auditAnnotations.set(key, value);
}
