import type { RuntimeClass } from "@coxswain/types/node-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const runtimeClassColumns = defineColumns<RuntimeClass>([
  nameColumn,
  { name: "Handler", type: "string", description: "The runtime's name on the Nodes.", value: ({ handler }) => handler ?? "" },
  ageColumn,
]);
