import type { PriorityClass } from "@coxswain/types/scheduling-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const priorityClassColumns = defineColumns<PriorityClass>([
  nameColumn,
  { name: "Value", type: "integer", description: "The priority of Pods of this class.", value: ({ value }) => value ?? 0 },
  {
    name: "Global-Default",
    type: "boolean",
    description: "Whether Pods without a class get this one.",
    value: ({ globalDefault }) => globalDefault ?? false,
  },
  ageColumn,
  {
    name: "PreemptionPolicy",
    type: "string",
    description: "Whether Pods of this class may evict others.",
    value: ({ preemptionPolicy }) => preemptionPolicy ?? "",
  },
]);
