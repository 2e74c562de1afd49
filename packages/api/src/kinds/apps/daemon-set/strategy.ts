import { deepEqual } from "@coxswain/machinery";
import type { DaemonSet, DaemonSetSpec } from "@coxswain/types/apps-v1";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { daemonSetColumns } from "./columns.ts";
import { daemonSetSubresources, setTemplateGeneration, templateGeneration, templateGenerationOf } from "./subresources.ts";
import { daemonSetValidation } from "./validation.ts";

export const daemonSet = defineKind<DaemonSet>({
  type: "io.k8s.api.apps.v1.DaemonSet",
  defaults,
  prepareForCreate: (obj) => {
    obj.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    dropDisabledTemplateFields(obj.spec?.template, undefined);
    setTemplateGeneration(obj, Math.max(templateGenerationOf(obj), 1));
  },
  prepareForUpdate: (next, prev) => {
    dropDisabledTemplateFields(next.spec?.template, prev.spec?.template);
    const changed = !deepEqual(next.spec?.template, prev.spec?.template);
    setTemplateGeneration(next, templateGenerationOf(prev) + (changed ? 1 : 0));
  },
  subresources: daemonSetSubresources,
  ...daemonSetValidation,
  warnings: ({ spec }, prev) =>
    prev && deepEqual(spec?.template, prev.spec?.template) ? [] : templateWarnings("spec.template", spec?.template),
  columns: daemonSetColumns,
});

function defaults(obj: DaemonSet): void {
  if (obj.metadata?.annotations?.[templateGeneration] === undefined) setTemplateGeneration(obj, 0);
  // A selector that is missing is reported later, with everything else that is wrong.
  obj.spec ??= { template: {} } as DaemonSetSpec;
  const { spec } = obj;
  spec.template ??= {};
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= 1;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}
