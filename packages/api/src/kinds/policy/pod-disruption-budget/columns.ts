import type { PodDisruptionBudget } from "@coxswain/types/policy-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const podDisruptionBudgetColumns = defineColumns<PodDisruptionBudget>([
  nameColumn,
  {
    name: "Min Available",
    type: "string",
    description: "How many Pods must stay available.",
    value: ({ spec }) => String(spec?.minAvailable ?? "N/A"),
  },
  {
    name: "Max Unavailable",
    type: "string",
    description: "How many Pods may be unavailable.",
    value: ({ spec }) => String(spec?.maxUnavailable ?? "N/A"),
  },
  {
    name: "Allowed Disruptions",
    type: "integer",
    description: "How many Pods may be evicted now.",
    value: ({ status }) => status?.disruptionsAllowed ?? 0,
  },
  ageColumn,
]);
