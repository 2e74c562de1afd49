import type { ResourceSlice } from "@coxswain/types/resource-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const resourceSliceColumns = defineColumns<ResourceSlice>([
  nameColumn,
  { name: "Node", type: "string", description: "The Node it belongs to.", value: ({ spec }) => spec?.nodeName ?? "" },
  { name: "Driver", type: "string", description: "The driver that offers the devices.", value: ({ spec }) => spec?.driver ?? "" },
  { name: "Pool", type: "string", description: "The pool that the devices belong to.", value: ({ spec }) => spec?.pool?.name ?? "" },
  ageColumn,
]);
