import { deepEqual } from "@coxswain/machinery";
import { defineKind } from "../../kind.ts";
import type { Errors } from "../../pod/checks.ts";
import { defaultPodTemplate } from "../../pod/defaults.ts";
import { dropDisabledTemplateFields } from "../../pod/disabled-fields.ts";
import { validatePodTemplate } from "../../pod/template.ts";
import { containerCells, formatLabels } from "../../pod/template-cells.ts";
import { templateWarnings } from "../../pod/warnings.ts";
import type { PodTemplate } from "../../types/core-v1.ts";

export const podTemplate = defineKind<PodTemplate>({
  type: "io.k8s.api.core.v1.PodTemplate",
  deleteReturns: "object",
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
  cells: ({ metadata, template }) => [metadata?.name ?? "", ...containerCells(template), formatLabels(template?.metadata?.labels)],
});
