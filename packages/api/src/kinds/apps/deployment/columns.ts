import type { Deployment } from "@coxswain/types/apps-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames } from "../../../table/container-cells.ts";
import { formatSelector } from "../../../validation/label-selector.ts";

export const deploymentColumns = defineColumns<Deployment>([
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "Ready Pods, of those wanted.",
    value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  },
  {
    name: "Up-to-date",
    type: "string",
    description: "How many Pods run the current template.",
    value: ({ status }) => status?.updatedReplicas ?? 0,
  },
  {
    name: "Available",
    type: "string",
    description: "How many Pods have been ready for long enough to count.",
    value: ({ status }) => status?.availableReplicas ?? 0,
  },
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
    value: ({ spec }) => formatSelector(spec?.selector),
  },
]);
