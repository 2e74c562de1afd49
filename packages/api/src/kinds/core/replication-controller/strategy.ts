import { deepEqual, field } from "@coxswain/machinery";
import type { ReplicationController } from "@coxswain/types/core-v1";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { matchSelector, shownLabels } from "../../../validation/label-selector.ts";
import { podNameWarnings } from "../../../validation/pod-spec/pod-name-warnings.ts";
import { validateEndlessTemplate, validatePodTemplate } from "../../../validation/pod-spec/template.ts";
import { templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { replicationControllerColumns } from "./columns.ts";
import { replicationControllerSubresources } from "./subresources.ts";

export const replicationController = defineKind<ReplicationController>({
  type: "io.k8s.api.core.v1.ReplicationController",
  defaultGarbageCollectionPolicy: "Orphan",
  defaults,
  prepareForCreate: (obj) => {
    obj.status = { replicas: 0 };
    dropDisabledTemplateFields(obj.spec?.template, undefined);
  },
  prepareForUpdate: (next, prev) => dropDisabledTemplateFields(next.spec?.template, prev.spec?.template),
  validate,
  subresources: replicationControllerSubresources,
  warnings: ({ metadata, spec }, prev) => [
    ...(prev ? [] : podNameWarnings(metadata?.name)),
    ...(prev && deepEqual(spec, prev.spec) ? [] : templateWarnings("spec.template", spec?.template)),
  ],
  selectableFields: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
  columns: replicationControllerColumns,
});

/** Selector and labels are the template's unless they are given. */
function defaults(obj: ReplicationController): void {
  obj.spec ??= {};
  const { spec } = obj;
  spec.replicas ??= 1;
  defaultPodTemplate(spec.template ?? undefined);
  const labels = spec.template?.metadata?.labels;
  if (!labels) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  if (obj.metadata && Object.keys(obj.metadata.labels ?? {}).length === 0) obj.metadata.labels = { ...labels };
}

function validate({ spec = {} }: Readonly<ReplicationController>): Errors {
  const out: Errors = [];
  const { template } = spec;
  const selector = spec.selector ?? {};
  nonNegative(out, "spec.minReadySeconds", spec.minReadySeconds);
  const selects = Object.keys(selector).length > 0;
  if (!selects) out.push(field.required("spec.selector"));
  nonNegative(out, "spec.replicas", spec.replicas);
  if (!template) {
    out.push(field.required("spec.template"));
    return out;
  }
  const { labels } = template.metadata ?? {};
  if (selects && matchSelector({ matchLabels: selector }, labels) !== "matches") {
    out.push(field.invalid("spec.template.metadata.labels", shownLabels(labels), "`selector` does not match template `labels`"));
  }
  validatePodTemplate(out, "spec.template", template);
  validateEndlessTemplate(out, "spec.template", template, "ReplicationController");
  return out;
}
