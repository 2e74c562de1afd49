/** What the server fills into a pod's volumes. Everything is changed in place. */
import type { Volume, VolumeProjection } from "@coxswain/types/core-v1";
import { roundAmounts } from "./default-resources.ts";
import { defaultPullPolicy } from "./image-name.ts";
import { volumeSourceNames } from "./volume-source-names.ts";

const readableByAll = 0o644;

export function defaultVolume(volume: Volume): void {
  if (!volumeSourceNames.some((name) => volume[name])) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= readableByAll;
  if (volume.configMap) volume.configMap.defaultMode ??= readableByAll;
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.image) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? "");
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= readableByAll;
    for (const { fieldRef } of volume.downwardAPI.items ?? []) if (fieldRef) fieldRef.apiVersion ||= "v1";
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= readableByAll;
    volume.projected.sources?.forEach(defaultProjection);
  }
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) {
    claim.volumeMode ??= "Filesystem";
    roundAmounts(claim.resources?.limits);
    roundAmounts(claim.resources?.requests);
  }
  defaultLegacySource(volume);
}

function defaultProjection(source: VolumeProjection): void {
  if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
  if (source.podCertificate) source.podCertificate.maxExpirationSeconds ??= 86_400;
  for (const { fieldRef } of source.downwardAPI?.items ?? []) if (fieldRef) fieldRef.apiVersion ||= "v1";
}

function defaultLegacySource({ iscsi, rbd, azureDisk, scaleIO }: Volume): void {
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.kind ??= "Shared";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}
