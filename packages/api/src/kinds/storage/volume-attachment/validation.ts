import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PersistentVolumeSpec } from "@coxswain/types/core-v1";
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from "@coxswain/types/storage-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutableAs } from "../../../validation/checks.ts";
import { validateVolumeSource } from "../../../validation/persistent-volume/source.ts";
import { validateCsiDriverName } from "../../../validation/storage-parameters.ts";
import { utf8Length } from "../../../validation/utf8-length.ts";
import { validateAccessModes } from "../../../validation/volume-modes.ts";

const immutableVolumeAttachmentSpec = immutableAs("VolumeAttachmentSpec");

export const volumeAttachmentValidation: Validation<VolumeAttachment> = {
  validate: ({ spec, status }) => {
    const out: Errors = [];
    validateCsiDriverName(out, "spec.attacher", spec?.attacher);
    validateSource(out, "spec.source", spec?.source ?? {});
    addInvalid(out, "spec.nodeName", spec?.nodeName ?? "", validateDns1123Subdomain(spec?.nodeName ?? ""));
    const bytes = Object.entries(status?.attachmentMetadata ?? {}).reduce((sum, [k, v]) => sum + utf8Length(k) + utf8Length(v), 0);
    if (bytes > maxMetadataBytes) out.push(field.tooLong("status.attachmentMetadata", maxMetadataBytes));
    validateError(out, "status.attachError", status?.attachError);
    validateError(out, "status.detachError", status?.detachError);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutableVolumeAttachmentSpec(out, "spec", next.spec, prev.spec);
    return out;
  },
};

const maxMetadataBytes = 256 * 1024;

const maxMessageBytes = 1024;

function validateSource(out: Errors, path: string, { inlineVolumeSpec, persistentVolumeName }: Readonly<VolumeAttachmentSource>): void {
  const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (persistentVolumeName === undefined) {
    if (inlineVolumeSpec === undefined) out.push(field.required(path, exactlyOne));
    else validateInline(out, `${path}.inlineVolumeSpec`, inlineVolumeSpec);
    return;
  }
  if (inlineVolumeSpec !== undefined) out.push(field.forbidden(path, exactlyOne));
  else if (persistentVolumeName === "") {
    out.push(field.required(`${path}.persistentVolumeName`, "must specify non empty persistentVolumeName"));
  }
  addInvalid(out, `${path}.persistentVolumeName`, persistentVolumeName, validateDns1123Subdomain(persistentVolumeName));
}

/** A volume that no PersistentVolume describes: CSI's, and nothing that only matters to claims. */
function validateInline(out: Errors, path: string, spec: Readonly<PersistentVolumeSpec>): void {
  const { claimRef, capacity = {}, csi, accessModes, nodeAffinity, storageClassName, volumeMode } = spec;
  const policy = spec.persistentVolumeReclaimPolicy;
  const refuseIf = (given: boolean, name: string, why = "may not be specified in the context of inline volumes") => {
    if (given) out.push(field.forbidden(`${path}.${name}`, why));
  };
  refuseIf(claimRef !== undefined, "claimRef");
  refuseIf(Object.keys(capacity).length > 0, "capacity");
  if (csi === undefined) out.push(field.required(`${path}.csi`, "has to be specified in the context of inline volumes"));
  if (!accessModes?.length) out.push(field.required(`${path}.accessModes`));
  else validateAccessModes(out, path, accessModes);
  const retains = !policy || policy === "Retain";
  refuseIf(!retains, "persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes");
  refuseIf(nodeAffinity !== undefined, "nodeAffinity");
  const ofSource: Errors = [];
  validateVolumeSource(ofSource, spec, "");
  for (const error of ofSource) out.push({ ...error, field: path + error.field.slice("spec".length) });
  refuseIf(Boolean(storageClassName), "storageClassName");
  const isFilesystem = volumeMode === undefined || volumeMode === "Filesystem";
  refuseIf(!isFilesystem, "volumeMode", "may not specify volumeMode other than Filesystem in the context of inline volumes");
}

function validateError(out: Errors, path: string, error: Readonly<VolumeError> | undefined): void {
  if (error === undefined) return;
  if (utf8Length(error.message ?? "") > maxMessageBytes) out.push(field.tooLong(`${path}.message`, maxMetadataBytes));
  if ((error.errorCode ?? 0) < 0) {
    out.push(field.invalid(`${path}.errorCode`, error.errorCode, "must be between 0 and 2147483647, inclusive"));
  }
}
