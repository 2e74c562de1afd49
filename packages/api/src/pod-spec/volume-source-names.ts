import type { Volume } from "@coxswain/types/core-v1";

/** Every kind of volume, in the order in which Kubernetes checks them: the first one wins, any other is one too many. */
export const volumeSourceNames = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
] as const satisfies readonly (keyof Volume)[];

export type VolumeSourceName = (typeof volumeSourceNames)[number];
