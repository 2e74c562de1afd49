import type { MutatingAdmissionPolicyBinding } from "@coxswain/types/admissionregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { validateBindingSpec } from "../../../validation/admissionregistration/policy.ts";
import { reservedNameWarnings } from "../../../validation/admissionregistration/reserved-names.ts";
import { defaultMatchResources, refuseDeletions } from "../../../validation/admissionregistration/rules.ts";
import type { Errors } from "../../../validation/checks.ts";
import { mutatingAdmissionPolicyBindingColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ */
export const mutatingAdmissionPolicyBinding = defineKind<MutatingAdmissionPolicyBinding>({
  type: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding",
  metadataPasses: ["whole"],
  finalizers: "any",
  allowUnconditionalUpdate: false,
  defaults: ({ spec }) => defaultMatchResources(spec?.matchResources),
  validate: ({ spec = {} }) => {
    const out: Errors = [];
    validateBindingSpec(out, "spec", spec);
    refuseDeletions(out, "spec.matchResources", spec.matchResources);
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  columns: mutatingAdmissionPolicyBindingColumns,
});
