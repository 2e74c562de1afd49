import { deepEqual } from "@coxswain/machinery";
import type { StatefulSet, StatefulSetSpec } from "@coxswain/types/apps-v1";
import type { PersistentVolumeClaim } from "@coxswain/types/core-v1";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defaultPodTemplate } from "../../../pod-spec/defaults.ts";
import { dropDisabledTemplateFields } from "../../../pod-spec/disabled-fields.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { claimWarnings, templateWarnings } from "../../../validation/pod-spec/warnings.ts";
import { statefulSetColumns } from "./columns.ts";
import { statefulSetSubresources } from "./subresources.ts";
import { statefulSetValidation } from "./validation.ts";

export const statefulSet = defineKind<StatefulSet>({
  type: "io.k8s.api.apps.v1.StatefulSet",
  // Its pods are called after it, and their names are host names.
  name: "dns1123Label",
  defaults,
  prepareForCreate: (obj) => {
    obj.status = { availableReplicas: 0, replicas: 0 };
    dropDisabled(obj, undefined);
  },
  prepareForUpdate: dropDisabled,
  ...statefulSetValidation,
  subresources: statefulSetSubresources,
  warnings,
  columns: statefulSetColumns,
});

function defaults(obj: StatefulSet): void {
  // A selector that is missing is reported later, with everything else that is wrong.
  obj.spec ??= { template: {} } as StatefulSetSpec;
  const { spec } = obj;
  spec.template ??= {};
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  if (!strategy.type) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.volumeClaimTemplates?.forEach(defaultClaim);
  defaultPodTemplate(spec.template);
}

function defaultClaim(claim: PersistentVolumeClaim): void {
  claim.kind = "PersistentVolumeClaim";
  claim.apiVersion = "v1";
  claim.spec ??= {};
  claim.spec.volumeMode ??= "Filesystem";
  roundAmounts(claim.spec.resources?.limits);
  roundAmounts(claim.spec.resources?.requests);
  claim.status ??= {};
  claim.status.phase ||= "Pending";
}

/** How many pods may be missing during an update needs a feature that Kubernetes 1.36 leaves off. */
function dropDisabled({ spec }: StatefulSet, prev: Readonly<StatefulSet> | undefined): void {
  dropDisabledTemplateFields(spec?.template, prev?.spec?.template);
  const rolling = spec?.updateStrategy?.rollingUpdate;
  if (rolling && prev?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) delete rolling.maxUnavailable;
}

function* warnings({ spec }: Readonly<StatefulSet>, prev: Readonly<StatefulSet> | undefined): Generator<string> {
  if (!(prev && deepEqual(spec, prev.spec))) yield* templateWarnings("spec.template", spec?.template);
  for (const [i, claim] of (spec?.volumeClaimTemplates ?? []).entries()) {
    // The path of an update is Kubernetes' own.
    yield* claimWarnings(`spec.volumeClaimTemplates[${i}]${prev ? ".Spec" : ""}`, claim.spec ?? {});
  }
  if ((spec?.revisionHistoryLimit ?? 0) < 0) {
    yield "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
  }
}
