import type { Namespace } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const namespaceColumns = defineColumns<Namespace>([
  nameColumn,
  { name: "Status", type: "string", description: "Where the object stands in its life.", value: ({ status }) => status?.phase ?? "" },
  ageColumn,
]);
