import type { DaemonSet } from "@coxswain/types/apps-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames, formatLabels } from "../../../table/container-cells.ts";
import { formatSelector } from "../../../validation/label-selector.ts";

export const daemonSetColumns = defineColumns<DaemonSet>([
  nameColumn,
  {
    name: "Desired",
    type: "integer",
    description: "How many Pods are wanted.",
    value: ({ status }) => status?.desiredNumberScheduled ?? 0,
  },
  { name: "Current", type: "integer", description: "How many Pods exist.", value: ({ status }) => status?.currentNumberScheduled ?? 0 },
  { name: "Ready", type: "integer", description: "How many are ready, of how many.", value: ({ status }) => status?.numberReady ?? 0 },
  {
    name: "Up-to-date",
    type: "integer",
    description: "How many Pods run the current template.",
    value: ({ status }) => status?.updatedNumberScheduled ?? 0,
  },
  {
    name: "Available",
    type: "integer",
    description: "How many Pods have been ready for long enough to count.",
    value: ({ status }) => status?.numberAvailable ?? 0,
  },
  {
    name: "Node Selector",
    type: "string",
    description: "Labels of the Nodes that get a Pod.",
    value: ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector),
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
