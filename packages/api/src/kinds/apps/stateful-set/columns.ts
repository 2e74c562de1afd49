import type { StatefulSet } from "@coxswain/types/apps-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { containerImages, containerNames } from "../../../table/container-cells.ts";

export const statefulSetColumns = defineColumns<StatefulSet>([
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "Ready Pods, of those wanted.",
    value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
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
]);
