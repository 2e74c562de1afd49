import { field } from "@coxswain/machinery";
import type { ValidatingAdmissionPolicyBinding } from "@coxswain/types/admissionregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { validateBindingSpec } from "../../../validation/admissionregistration/policy.ts";
import { reservedNameWarnings } from "../../../validation/admissionregistration/reserved-names.ts";
import { defaultMatchResources } from "../../../validation/admissionregistration/rules.ts";
import { type Errors, oneOf } from "../../../validation/checks.ts";
import { validatingAdmissionPolicyBindingColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ */
export const validatingAdmissionPolicyBinding = defineKind<ValidatingAdmissionPolicyBinding>({
  type: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding",
  metadataPasses: ["whole"],
  finalizers: "any",
  allowUnconditionalUpdate: false,
  defaults: ({ spec }) => defaultMatchResources(spec?.matchResources),
  validate: ({ spec }) => {
    const out: Errors = [];
    validateBindingSpec(out, "spec", spec ?? {});
    validateActions(out, "spec.validationActions", spec?.validationActions ?? []);
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  columns: validatingAdmissionPolicyBindingColumns,
});

function validateActions(out: Errors, path: string, actions: readonly string[]): void {
  for (const [i, action] of actions.entries()) {
    oneOf(out, `${path}[${i}]`, action, ["Audit", "Deny", "Warn"]);
    if (actions.indexOf(action) < i) out.push(field.duplicate(`${path}[${i}]`, action));
  }
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    out.push(field.invalid(path, actions, why));
  }
  if (actions.length === 0) out.push(field.required(path, "at least one validation action is required"));
}
