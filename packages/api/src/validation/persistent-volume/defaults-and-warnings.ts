import type { PersistentVolume, PersistentVolumeSpec } from "@coxswain/types/core-v1";
import { termWarnings } from "../pod-spec/deprecated-labels.ts";
import { classAnnotation } from "../volume-modes.ts";

/** Fills in what each kind of storage has a default for, in place. */
export function defaultVolumeSource({ hostPath, rbd, iscsi, azureDisk, scaleIO }: PersistentVolumeSpec): void {
  if (hostPath !== undefined) hostPath.type ??= "";
  if (rbd !== undefined) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (iscsi !== undefined) iscsi.iscsiInterface ||= "default";
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= "Shared";
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  __proto__: null as never,
  [classAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const goneStorage: Readonly<Partial<Record<keyof PersistentVolumeSpec, string>>> = {
  cephfs: "spec.cephfs: deprecated in v1.28, non-functional in v1.31+",
  photonPersistentDisk: "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+",
  storageos: "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+",
  rbd: "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
};

export function* volumeWarnings({ metadata, spec = {} }: Readonly<PersistentVolume>): Generator<string> {
  for (const [key, text] of Object.entries(deprecatedAnnotations)) {
    if (metadata?.annotations?.[key] !== undefined) yield `metadata.annotations[${key}]: ${text}`;
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const instead = "Instead, the recommended approach is to use dynamic provisioning.";
    yield `spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${instead}`;
  }
  for (const [i, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    yield* termWarnings(`spec.nodeAffinity.required.nodeSelectorTerms[${i}]`, term, { checkValues: false });
  }
  for (const source of Object.keys(spec) as (keyof PersistentVolumeSpec)[]) {
    const text = goneStorage[source];
    if (text !== undefined) yield text;
  }
}
