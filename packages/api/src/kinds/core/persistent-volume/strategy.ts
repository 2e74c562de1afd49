import type { PersistentVolume } from "@coxswain/types/core-v1";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { defaultVolumeSource, volumeWarnings } from "../../../validation/persistent-volume/defaults-and-warnings.ts";
import { persistentVolumeColumns } from "./columns.ts";
import { persistentVolumeSubresources, transitionTime } from "./subresources.ts";
import { persistentVolumeValidation } from "./validation.ts";

/** @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/ */
export const persistentVolume = defineKind<PersistentVolume>({
  type: "io.k8s.api.core.v1.PersistentVolume",
  metadataPasses: ["whole"],
  returnDeletedObject: true,
  generation: "never",
  defaults(obj) {
    obj.status ??= {};
    obj.status.phase ||= "Pending";
    obj.spec ??= {};
    obj.spec.persistentVolumeReclaimPolicy ||= "Retain";
    obj.spec.volumeMode ??= "Filesystem";
    roundAmounts(obj.spec.capacity);
    defaultVolumeSource(obj.spec);
  },
  prepareForCreate(obj) {
    obj.status = { phase: "Pending", ...transitionTime(obj.metadata?.creationTimestamp) };
  },
  subresources: persistentVolumeSubresources,
  ...persistentVolumeValidation,
  warnings: volumeWarnings,
  columns: persistentVolumeColumns,
});
