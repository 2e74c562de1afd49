import type { PersistentVolume } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { accessModesCell, storageClassOf } from "../../../validation/volume-modes.ts";

export const persistentVolumeColumns = defineColumns<PersistentVolume>([
  nameColumn,
  { name: "Capacity", type: "string", description: "How much storage there is.", value: ({ spec = {} }) => spec.capacity?.storage ?? "0" },
  {
    name: "Access Modes",
    type: "string",
    description: "How the volume may be mounted.",
    value: ({ spec = {} }) => accessModesCell(spec.accessModes),
  },
  {
    name: "Reclaim Policy",
    type: "string",
    description: "What happens to the volume when its claim is deleted.",
    value: ({ spec = {} }) => spec.persistentVolumeReclaimPolicy ?? "",
  },
  {
    name: "Status",
    type: "string",
    description: "Where the object stands in its life.",
    value: ({ metadata, status }) => (metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating"),
  },
  {
    name: "Claim",
    type: "string",
    description: "The claim that is bound to the volume.",
    value: ({ spec }) => (spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`),
  },
  {
    name: "StorageClass",
    type: "string",
    description: "The class that provides the volume.",
    value: ({ metadata, spec = {} }) => storageClassOf(metadata?.annotations, spec.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "The class whose parameters tune the volume.",
    value: ({ spec = {} }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  { name: "Reason", type: "string", description: "A short word for machines that says why.", value: ({ status }) => status?.reason ?? "" },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    description: "Whether it is used as a filesystem or as a block device.",
    value: ({ spec = {} }) => spec.volumeMode ?? "<unset>",
  },
]);
