import type { ReplicationController } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames, formatLabels } from "../../../table/container-cells.ts";

export const replicationControllerColumns = defineColumns<ReplicationController>([
  nameColumn,
  { name: "Desired", type: "integer", description: "How many Pods are wanted.", value: ({ spec }) => spec?.replicas ?? 0 },
  { name: "Current", type: "integer", description: "How many Pods exist.", value: ({ status }) => status?.replicas ?? 0 },
  { name: "Ready", type: "integer", description: "How many are ready, of how many.", value: ({ status }) => status?.readyReplicas ?? 0 },
  ageColumn,
  {
    name: "Containers",
    type: "string",
    priority: 1,
    description: "Names of the containers in the Pod template.",
    value: ({ spec }) => containerNames(spec?.template),
  },
  {
    name: "Images",
    type: "string",
    priority: 1,
    description: "Images of the containers in the Pod template.",
    value: ({ spec }) => containerImages(spec?.template),
  },
  {
    name: "Selector",
    type: "string",
    priority: 1,
    description: "Labels that select what belongs to it.",
    value: ({ spec }) => formatLabels(spec?.selector),
  },
]);
