import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { RuntimeClass } from "../../../types/node-v1.ts";

export const runtimeClassColumns = defineColumns<RuntimeClass>([
  nameColumn,
  { name: "Handler", type: "string", description: "The runtime's name on the Nodes.", value: ({ handler }) => handler ?? "" },
  ageColumn,
]);
