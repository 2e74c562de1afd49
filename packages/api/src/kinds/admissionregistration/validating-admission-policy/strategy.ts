import type { ValidatingAdmissionPolicy } from "@coxswain/types/admissionregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { reservedNameWarnings } from "../../../validation/admissionregistration/reserved-names.ts";
import { defaultMatchResources } from "../../../validation/admissionregistration/rules.ts";
import { validatingAdmissionPolicyColumns } from "./columns.ts";
import { validatingAdmissionPolicySubresources } from "./subresources.ts";
import { validatingAdmissionPolicyValidation } from "./validation.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ */
export const validatingAdmissionPolicy = defineKind<ValidatingAdmissionPolicy>({
  type: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy",
  metadataPasses: ["whole"],
  finalizers: "any",
  allowUnconditionalUpdate: false,
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  ...validatingAdmissionPolicyValidation,
  subresources: validatingAdmissionPolicySubresources,
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  columns: validatingAdmissionPolicyColumns,
});
