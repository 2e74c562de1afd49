// Written by scripts/generate-api-types.ts from the facts beside it.
import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";
import type { PersistentVolumeSpec, TopologySelectorTerm } from "./core-v1.ts";
import type { LabelSelector, ListMeta, Quantity, Time } from "./meta-v1.ts";

export interface CSIDriver extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  spec: CSIDriverSpec;
}

export interface CSIDriverList {
  apiVersion?: string;
  items: CSIDriver[];
  kind?: string;
  metadata?: ListMeta;
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  nodeAllocatableUpdatePeriodSeconds?: number;
  podInfoOnMount?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  serviceAccountTokenInSecrets?: boolean;
  storageCapacity?: boolean;
  tokenRequests?: TokenRequest[];
  volumeLifecycleModes?: string[];
}

export interface CSINode extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  spec: CSINodeSpec;
}

export interface CSINodeDriver {
  allocatable?: VolumeNodeResources;
  name: string;
  nodeID: string;
  topologyKeys?: string[];
}

export interface CSINodeList {
  apiVersion?: string;
  items: CSINode[];
  kind?: string;
  metadata?: ListMeta;
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

export interface CSIStorageCapacity extends KubeObject {
  apiVersion?: string;
  capacity?: Quantity;
  kind?: string;
  maximumVolumeSize?: Quantity;
  metadata?: Meta;
  nodeTopology?: LabelSelector;
  storageClassName: string;
}

export interface CSIStorageCapacityList {
  apiVersion?: string;
  items: CSIStorageCapacity[];
  kind?: string;
  metadata?: ListMeta;
}

export interface StorageClass extends KubeObject {
  allowVolumeExpansion?: boolean;
  allowedTopologies?: TopologySelectorTerm[];
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export interface StorageClassList {
  apiVersion?: string;
  items: StorageClass[];
  kind?: string;
  metadata?: ListMeta;
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  apiVersion?: string;
  items: VolumeAttachment[];
  kind?: string;
  metadata?: ListMeta;
}

export interface VolumeAttachmentSource {
  inlineVolumeSpec?: PersistentVolumeSpec;
  persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  nodeName: string;
  source: VolumeAttachmentSource;
}

export interface VolumeAttachmentStatus {
  attachError?: VolumeError;
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass extends KubeObject {
  apiVersion?: string;
  driverName: string;
  kind?: string;
  metadata?: Meta;
  parameters?: Record<string, string>;
}

export interface VolumeAttributesClassList {
  apiVersion?: string;
  items: VolumeAttributesClass[];
  kind?: string;
  metadata?: ListMeta;
}

export interface VolumeError {
  errorCode?: number;
  message?: string;
  time?: Time;
}

export interface VolumeNodeResources {
  count?: number;
}
