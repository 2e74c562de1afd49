import type { PodTemplate } from "@coxswain/types/core-v1";
import { defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames, formatLabels } from "../../../table/container-cells.ts";

export const podTemplateColumns = defineColumns<PodTemplate>([
  nameColumn,
  {
    name: "Containers",
    type: "string",
    description: "Names of the containers in the Pod template.",
    value: ({ template }) => containerNames(template),
  },
  {
    name: "Images",
    type: "string",
    description: "Images of the containers in the Pod template.",
    value: ({ template }) => containerImages(template),
  },
  {
    name: "Pod Labels",
    type: "string",
    description: "Labels of the Pods that are made from it.",
    value: ({ template }) => formatLabels(template?.metadata?.labels),
  },
]);
