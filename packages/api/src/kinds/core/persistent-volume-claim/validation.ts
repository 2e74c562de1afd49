import { deepEqual, field, parseQuantity } from "@coxswain/machinery";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@coxswain/types/core-v1";
import { internalDiff, internalView } from "../../../internal/internal-view.ts";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, immutable } from "../../../validation/checks.ts";
import { validateClaimSpec } from "../../../validation/persistent-volume-claim/spec.ts";
import { classAnnotation } from "../../../validation/volume-modes.ts";

export const persistentVolumeClaimValidation: Validation<Claim> = {
  validate: (obj) => {
    const out: Errors = [];
    validateClaimSpec(out, "spec", obj.spec ?? {});
    return out;
  },
  validateUpdate,
};

export type Claim = PersistentVolumeClaim;

/** A claim's spec stays, but for the volume it gets once, a class filled in later, and a bound claim's size and attributes. */
function validateUpdate(next: Readonly<Claim>, prev: Readonly<Claim>): Errors {
  const out: Errors = [];
  const [after, before] = [next.spec ?? {}, prev.spec ?? {}];
  const oldClass = prev.metadata?.annotations?.[classAnnotation];
  const newClass = next.metadata?.annotations?.[classAnnotation];
  const moved = oldClass !== undefined && before.storageClassName === undefined && after.storageClassName === oldClass;
  if (!(moved && (newClass === undefined || newClass === oldClass)) && newClass !== oldClass) {
    out.push(field.invalid(`metadata.annotations.${classAnnotation}`, newClass ?? "", "field is immutable"));
  }
  const frozen = withoutAllowed(after, next, before, oldClass);
  const was = before.volumeName || !after.volumeName ? before : { ...before, volumeName: after.volumeName };
  if (!deepEqual(internalView("PersistentVolumeClaimSpec", frozen), internalView("PersistentVolumeClaimSpec", was))) {
    const why = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    out.push(field.forbidden("spec", `${why}\n${internalDiff("PersistentVolumeClaimSpec", was, frozen)}`));
  }
  validateSize(out, next, prev);
  immutable(out, "volumeMode", after.volumeMode, before.volumeMode);
  if (after.volumeAttributesClassName !== before.volumeAttributesClassName && prev.status?.currentVolumeAttributesClassName !== undefined) {
    const to = after.volumeAttributesClassName === undefined ? "nil" : "empty string";
    const why = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
    if (!after.volumeAttributesClassName) out.push(field.forbidden("spec.volumeAttributesClassName", why));
  }
  return out;
}

/** The new spec with what may change in this update as it was before. */
function withoutAllowed(
  { storageClassName, ...spec }: Readonly<PersistentVolumeClaimSpec>,
  next: Readonly<Claim>,
  before: Readonly<PersistentVolumeClaimSpec>,
  oldClass: string | undefined,
): PersistentVolumeClaimSpec {
  const isBound = next.status?.phase === "Bound";
  const mayGetClass = before.storageClassName === undefined && (oldClass === undefined || storageClassName === oldClass);
  const kept: PersistentVolumeClaimSpec = { ...spec, ...(mayGetClass || storageClassName === undefined ? {} : { storageClassName }) };
  if (!isBound) return kept;
  const { storage } = before.resources?.requests ?? {};
  const { requests } = kept.resources ?? {};
  if (requests !== undefined)
    kept.resources = { ...kept.resources, requests: { ...requests, ...(storage === undefined ? {} : { storage }) } };
  if (kept.volumeAttributesClassName === undefined) return kept;
  const { volumeAttributesClassName: _, ...others } = kept;
  const { volumeAttributesClassName } = before;
  return { ...others, ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }) };
}

/** A claim may shrink to recover from a failed growth, but not to what it already has. */
function validateSize(out: Errors, next: Readonly<Claim>, prev: Readonly<Claim>): void {
  const size = parseQuantity(next.spec?.resources?.requests?.storage ?? "0");
  const old = parseQuantity(prev.spec?.resources?.requests?.storage ?? "0");
  const actual = parseQuantity(prev.status?.capacity?.storage ?? "0");
  if (size === undefined || old === undefined || actual === undefined) return;
  if (size.compare(old) < 0 && size.compare(actual) <= 0) {
    out.push(field.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
}
