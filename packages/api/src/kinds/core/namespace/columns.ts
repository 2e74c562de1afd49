import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { Namespace } from "../../../types/core-v1.ts";

export const namespaceColumns = defineColumns<Namespace>([
  nameColumn,
  { name: "Status", type: "string", description: "Where the object stands in its life.", value: ({ status }) => status?.phase ?? "" },
  ageColumn,
]);
