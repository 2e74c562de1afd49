import type { PersistentVolume, PersistentVolumeSpec } from "../../types/core-v1.ts";
import { classAnnotation } from "./storage-rules.ts";

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

const deprecatedLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
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
    for (const [j, { key }] of (term.matchExpressions ?? []).entries()) {
      const text = deprecatedLabels[key];
      const path = `spec.nodeAffinity.required.nodeSelectorTerms[${i}].matchExpressions[${j}].key`;
      if (text !== undefined) yield `${path}: ${key} is ${text}`;
    }
  }
  for (const source of Object.keys(spec) as (keyof PersistentVolumeSpec)[]) {
    const text = goneStorage[source];
    if (text !== undefined) yield text;
  }
}
