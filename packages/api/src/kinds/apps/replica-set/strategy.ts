import { deepEqual } from "@coxswain/machinery";
import type { ReplicaSet, ReplicaSetSpec } from "@coxswain/types/apps-v1";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { immutableSelector } from "../../../validation/label-selector.ts";
import { podNameWarnings } from "../../../validation/pod-spec/pod-name-warnings.ts";
import { validateEndlessTemplate, validatePodTemplate } from "../../../validation/pod-spec/template.ts";
import { templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { validateSelected, validateSelector } from "../../../validation/selected-template.ts";
import { replicaSetColumns } from "./columns.ts";
import { replicaSetSubresources } from "./subresources.ts";

export const replicaSet = defineKind<ReplicaSet>({
  type: "io.k8s.api.apps.v1.ReplicaSet",
  defaults: (obj) => {
    // A selector that is missing is reported later, with everything else that is wrong.
    obj.spec ??= {} as ReplicaSetSpec;
    obj.spec.template ??= {};
    obj.spec.replicas ??= 1;
    defaultPodTemplate(obj.spec.template);
  },
  prepareForCreate: (obj) => {
    obj.status = { replicas: 0 };
    dropDisabledTemplateFields(obj.spec?.template, undefined);
  },
  prepareForUpdate: (next, prev) => dropDisabledTemplateFields(next.spec?.template, prev.spec?.template),
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (next, prev) => immutableSelector(next.spec?.selector, prev.spec?.selector),
  subresources: replicaSetSubresources,
  warnings: ({ metadata, spec }, prev) => [
    ...(prev ? [] : podNameWarnings(metadata?.name)),
    ...(prev && deepEqual(spec, prev.spec) ? [] : templateWarnings("spec.template", spec?.template)),
  ],
  columns: replicaSetColumns,
});

function validateSpec(spec: Readonly<ReplicaSetSpec> | undefined): Errors {
  const out: Errors = [];
  if (!spec) return out;
  nonNegative(out, "spec.replicas", spec.replicas);
  nonNegative(out, "spec.minReadySeconds", spec.minReadySeconds);
  validateSelector(out, spec.selector, "empty selector is invalid for deployment");
  if (validateSelected(out, spec.selector, spec.template, "invalid label selector")) {
    validatePodTemplate(out, "spec.template", spec.template ?? {});
    validateEndlessTemplate(out, "spec.template", spec.template, "ReplicaSet");
  }
  return out;
}
