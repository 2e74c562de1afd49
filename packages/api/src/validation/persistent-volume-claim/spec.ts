import { field, parseQuantity, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PersistentVolumeClaimSpec } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { validateAccessModes, validateVolumeMode } from "../volume-modes.ts";
import { validateDataSources } from "./data-source.ts";

/** Also for claims that other kinds carry. */
export function validateClaimSpec(out: Errors, path: string, spec: Readonly<PersistentVolumeClaimSpec>): void {
  const { accessModes = [], storageClassName, volumeAttributesClassName } = spec;
  if (accessModes.length === 0) out.push(field.required(`${path}.accessModes`, "at least 1 access mode is required"));
  validateLabelSelector(out, `${path}.selector`, spec.selector, "selector values");
  validateAccessModes(out, path, accessModes);
  const storage = spec.resources?.requests?.storage;
  const size = `${path}.resources[storage]`;
  if (storage === undefined) out.push(field.required(size));
  else if ((parseQuantity(storage)?.sign() ?? 1) <= 0) out.push(field.invalid(size, storage, "must be greater than zero"));
  if (storageClassName) addInvalid(out, `${path}.storageClassName`, storageClassName, validateDns1123Subdomain(storageClassName));
  validateVolumeMode(out, path, spec.volumeMode);
  validateDataSources(out, path, spec);
  if (volumeAttributesClassName) {
    addInvalid(out, `${path}.volumeAttributesClassName`, volumeAttributesClassName, validateDns1123Subdomain(volumeAttributesClassName));
  }
}
