import { deepEqual, field } from "@coxswain/machinery";
import type { VolumeAttributesClass } from "@coxswain/types/storage-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateDriverReference, validateParameters } from "../../../validation/storage-parameters.ts";
import { volumeAttributesClassColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/ */
export const volumeAttributesClass = defineKind<VolumeAttributesClass>({
  type: "io.k8s.api.storage.v1.VolumeAttributesClass",
  metadataPasses: ["changes", "whole"],
  returnDeletedObject: true,
  generation: "never",
  validate: (obj) => {
    const out: Errors = [];
    validateDriverReference(out, "driverName", obj.driverName);
    validateParameters(out, "parameters", obj.parameters);
    if (Object.keys(obj.parameters ?? {}).length === 0) out.push(field.required("parameters", "must contain at least one key/value pair"));
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    if (next.driverName !== prev.driverName) out.push(field.forbidden("driverName", "updates to driverName are forbidden."));
    if (!deepEqual(next.parameters, prev.parameters)) out.push(field.forbidden("parameters", "updates to parameters are forbidden."));
    return out;
  },
  columns: volumeAttributesClassColumns,
});
