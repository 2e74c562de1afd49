import { roundAmounts, roundResources } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { normalizeDataSources } from "../../../validation/persistent-volume-claim/data-source.ts";
import { claimWarnings } from "../../../validation/pod-spec/warnings.ts";
import { classAnnotation } from "../../../validation/volume-modes.ts";
import { persistentVolumeClaimColumns } from "./columns.ts";
import { persistentVolumeClaimSubresources } from "./subresources.ts";
import { type Claim, persistentVolumeClaimValidation } from "./validation.ts";

/** @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/ */
export const persistentVolumeClaim = defineKind<Claim>({
  type: "io.k8s.api.core.v1.PersistentVolumeClaim",
  metadataPasses: ["changes", "whole"],
  returnDeletedObject: true,
  generation: "never",
  defaults(obj) {
    obj.status ??= {};
    obj.status.phase ||= "Pending";
    obj.spec ??= {};
    obj.spec.volumeMode ??= "Filesystem";
    if (obj.spec.resources !== undefined) roundResources(obj.spec.resources);
    roundAmounts(obj.status.capacity);
    roundAmounts(obj.status.allocatedResources);
  },
  prepareForCreate(obj) {
    obj.status = { phase: "Pending" };
    if (obj.spec !== undefined) normalizeDataSources(obj.spec, undefined);
  },
  prepareForUpdate(next, prev) {
    if (next.spec !== undefined) normalizeDataSources(next.spec, prev.spec);
  },
  ...persistentVolumeClaimValidation,
  subresources: persistentVolumeClaimSubresources,
  warnings,
  columns: persistentVolumeClaimColumns,
});

function* warnings({ metadata, spec }: Readonly<Claim>): Generator<string> {
  if (metadata?.annotations?.[classAnnotation] !== undefined) {
    yield `metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`;
  }
  yield* claimWarnings("spec", spec ?? {});
}
