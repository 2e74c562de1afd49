import type { CSINode } from "@coxswain/types/storage-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const csiNodeColumns = defineColumns<CSINode>([
  nameColumn,
  { name: "Drivers", type: "integer", description: "How many drivers the Node has.", value: ({ spec }) => spec?.drivers?.length ?? 0 },
  ageColumn,
]);
