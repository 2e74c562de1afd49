import { deepEqual } from "@coxswain/machinery";
import type { PodTemplate } from "@coxswain/types/core-v1";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validatePodTemplate } from "../../../validation/pod-spec/template.ts";
import { templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { podTemplateColumns } from "./columns.ts";

export const podTemplate = defineKind<PodTemplate>({
  type: "io.k8s.api.core.v1.PodTemplate",
  returnDeletedObject: true,
  defaults: (obj) => {
    obj.template ??= {};
    defaultPodTemplate(obj.template);
  },
  prepareForCreate: ({ template }) => dropDisabledTemplateFields(template, undefined),
  prepareForUpdate: (next, prev) => dropDisabledTemplateFields(next.template, prev.template),
  validate: ({ template }) => {
    const out: Errors = [];
    validatePodTemplate(out, "template", template ?? {});
    return out;
  },
  warnings: ({ template }) => templateWarnings("template", template),
  // Kubernetes counts a generation for this kind although nothing runs from it.
  generation: (next, prev) => !deepEqual(next.template, prev.template),
  columns: podTemplateColumns,
});
