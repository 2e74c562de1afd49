import { deepEqual } from "@coxswain/machinery";
import type { Deployment, DeploymentSpec } from "@coxswain/types/apps-v1";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { podNameWarnings } from "../../../validation/pod-spec/pod-name-warnings.ts";
import { templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { deploymentColumns } from "./columns.ts";
import { deploymentSubresources } from "./subresources.ts";
import { deploymentValidation } from "./validation.ts";

export const deployment = defineKind<Deployment>({
  type: "io.k8s.api.apps.v1.Deployment",
  defaults,
  prepareForCreate: (obj) => {
    obj.status = {};
    dropDisabledTemplateFields(obj.spec?.template, undefined);
  },
  prepareForUpdate: (next, prev) => dropDisabledTemplateFields(next.spec?.template, prev.spec?.template),
  subresources: deploymentSubresources,
  generation: isRevised,
  ...deploymentValidation,
  warnings: (next, prev) => [
    ...(prev ? [] : podNameWarnings(next.metadata?.name)),
    ...(prev && !isRevised(next, prev) ? [] : templateWarnings("spec.template", next.spec?.template)),
  ],
  columns: deploymentColumns,
});

/** Revisions of a Deployment are noted in its annotations. */
function isRevised(next: Readonly<Deployment>, prev: Readonly<Deployment>): boolean {
  return !deepEqual(next.spec, prev.spec) || !deepEqual(next.metadata?.annotations ?? {}, prev.metadata?.annotations ?? {});
}

function defaults(obj: Deployment): void {
  // A selector that is missing is reported later, with everything else that is wrong.
  obj.spec ??= { template: {} } as DeploymentSpec;
  const { spec } = obj;
  spec.template ??= {};
  spec.replicas ??= 1;
  spec.strategy ??= {};
  const { strategy } = spec;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  defaultPodTemplate(spec.template);
}
