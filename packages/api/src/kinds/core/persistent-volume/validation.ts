import { deepEqual, field, parseQuantity, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from "@coxswain/types/core-v1";
import { internalDiff, internalView } from "../../../internal/internal-view.ts";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutable, oneOf } from "../../../validation/checks.ts";
import { validateNodeSelector } from "../../../validation/node-selector.ts";
import { persistentVolumeSources, validateVolumeSource } from "../../../validation/persistent-volume/source.ts";
import { validateAccessModes, validateVolumeMode } from "../../../validation/volume-modes.ts";

export const persistentVolumeValidation: Validation<PersistentVolume> = {
  validate,
  validateUpdate,
};

function validate(obj: Readonly<PersistentVolume>): Errors {
  const out: Errors = [];
  validateSpec(out, obj.spec ?? {}, obj.metadata?.name ?? "");
  validateMountOptions(out, obj);
  return out;
}

function validateSpec(out: Errors, spec: Readonly<PersistentVolumeSpec>, name: string): void {
  const { accessModes = [], storageClassName, volumeAttributesClassName } = spec;
  if (accessModes.length === 0) out.push(field.required("spec.accessModes"));
  validateAccessModes(out, "spec", accessModes);
  validateCapacity(out, spec.capacity);
  oneOf(out, "spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy, ["Delete", "Recycle", "Retain"]);
  if (spec.nodeAffinity !== undefined) {
    const { required } = spec.nodeAffinity;
    if (required !== undefined) validateNodeSelector(out, "spec.nodeAffinity.required", required);
    else out.push(field.required("spec.nodeAffinity.required", "must specify required node constraints"));
  }
  validateVolumeSource(out, spec, name);
  if (spec.persistentVolumeReclaimPolicy === "Recycle" && /^\/(\.?\/)*\.?$/.test(spec.hostPath?.path ?? "")) {
    out.push(field.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (storageClassName) addInvalid(out, "spec.storageClassName", storageClassName, validateDns1123Subdomain(storageClassName));
  validateVolumeMode(out, "spec", spec.volumeMode);
  if (volumeAttributesClassName === undefined) return;
  const path = "spec.volumeAttributesClassName";
  if (volumeAttributesClassName === "") out.push(field.required(path, "an empty string is disallowed"));
  else addInvalid(out, path, volumeAttributesClassName, validateDns1123Subdomain(volumeAttributesClassName));
  if (spec.csi === undefined) out.push(field.required("spec.csi", "has to be specified when using volumeAttributesClassName"));
}

function validateCapacity(out: Errors, capacity: Readonly<Record<string, string>> | undefined): void {
  const amounts = Object.entries(capacity ?? {});
  if (amounts.length === 0) out.push(field.required("spec.capacity"));
  if (capacity?.storage === undefined || amounts.length > 1)
    out.push(field.notSupported("spec.capacity", internalView("{}quantity", capacity), ["storage"]));
  for (const [name, amount] of amounts) {
    const quantity = parseQuantity(amount);
    if (quantity === undefined || quantity.sign() > 0) continue;
    const path = `spec.capacity[${name}]`;
    if (quantity.sign() < 0) out.push(field.invalid(path, quantity.value(), "must be a valid resource quantity"));
    out.push(field.invalid(path, quantity.toString(), "must be greater than zero"));
  }
}

const mountOptions = "volume.beta.kubernetes.io/mount-options";

const mountable = new Set<string>([
  ...["gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi"],
  ...["cinder", "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"],
]);

/** Options in the old annotation only work for some storage. */
function validateMountOptions(out: Errors, { metadata, spec = {} }: Readonly<PersistentVolume>): void {
  if (metadata?.annotations?.[mountOptions] === undefined) return;
  if (Object.keys(spec).some((key) => mountable.has(key))) return;
  out.push(field.forbidden(`metadata.annotations.${mountOptions}`, "may not specify mount options for this volume type"));
}

/** The rules of every volume come once more with an update. */
function validateUpdate(next: Readonly<PersistentVolume>, prev: Readonly<PersistentVolume>): Errors {
  const out: Errors = [];
  validateSpec(out, next.spec ?? {}, next.metadata?.name ?? "");
  const [after, before] = [next.spec ?? {}, prev.spec ?? {}];
  const [source, was] = [sourceOf(after, before), sourceOf(before, before)];
  if (!deepEqual(source, was)) {
    const why = `spec.persistentvolumesource is immutable after creation\n${internalDiff("PersistentVolumeSource", was, source)}`;
    out.push(field.forbidden("spec.persistentvolumesource", why));
  }
  immutable(out, "volumeMode", after.volumeMode, before.volumeMode);
  if (before.nodeAffinity !== undefined && !deepEqual(after.nodeAffinity, renamed(before.nodeAffinity, after.nodeAffinity))) {
    const why = "field is immutable, except for updating from beta label to GA";
    out.push(field.invalid("nodeAffinity", after.nodeAffinity && internalView("VolumeNodeAffinity", after.nodeAffinity), why));
  }
  if (before.volumeAttributesClassName !== undefined && after.volumeAttributesClassName === undefined) {
    out.push(field.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  }
  return out;
}

/** The storage; the secret for growing it may be added later. */
function sourceOf(spec: Readonly<PersistentVolumeSpec>, before: Readonly<PersistentVolumeSpec>): object {
  const source: Record<string, unknown> = {};
  for (const name of persistentVolumeSources) source[name] = spec[name];
  if (spec.csi !== undefined && before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined) {
    const { controllerExpandSecretRef: _, ...csi } = spec.csi;
    source.csi = csi;
  }
  return source;
}

const stableLabels: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** `before` with the stable names of those labels that `after` names so. */
function renamed(before: VolumeNodeAffinity, after: Readonly<VolumeNodeAffinity> | undefined): VolumeNodeAffinity {
  const terms = before.required?.nodeSelectorTerms?.map((term, i) => {
    const next = after?.required?.nodeSelectorTerms?.[i]?.matchExpressions;
    const matchExpressions = term.matchExpressions?.map((e, j) =>
      next?.[j]?.key !== undefined && stableLabels[e.key] === next[j].key ? { ...e, key: next[j].key } : e,
    );
    return matchExpressions === undefined ? term : { ...term, matchExpressions };
  });
  return terms === undefined ? before : { ...before, required: { ...before.required, nodeSelectorTerms: terms } };
}
