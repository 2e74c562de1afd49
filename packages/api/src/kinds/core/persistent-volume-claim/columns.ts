import type { PersistentVolumeClaim } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { accessModesCell, storageClassOf } from "../../../validation/volume-modes.ts";

export const persistentVolumeClaimColumns = defineColumns<PersistentVolumeClaim>([
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "Where the object stands in its life.",
    value: ({ metadata, status }) => (metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating"),
  },
  { name: "Volume", type: "string", description: "The volume that is bound to the claim.", value: ({ spec }) => spec?.volumeName ?? "" },
  {
    name: "Capacity",
    type: "string",
    description: "How much storage there is.",
    value: ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.storage ?? "0") : ""),
  },
  {
    name: "Access Modes",
    type: "string",
    description: "How the volume may be mounted.",
    value: ({ spec, status }) => (spec?.volumeName ? accessModesCell(status?.accessModes) : ""),
  },
  {
    name: "StorageClass",
    type: "string",
    description: "The class that provides the volume.",
    value: ({ metadata, spec }) => storageClassOf(metadata?.annotations, spec?.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "The class whose parameters tune the volume.",
    value: ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    description: "Whether it is used as a filesystem or as a block device.",
    value: ({ spec }) => spec?.volumeMode ?? "<unset>",
  },
]);
