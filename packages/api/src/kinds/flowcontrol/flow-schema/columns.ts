import type { FlowSchema } from "@coxswain/types/flowcontrol-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const flowSchemaColumns = defineColumns<FlowSchema>([
  nameColumn,
  {
    name: "PriorityLevel",
    type: "string",
    description: "The level that handles matching requests.",
    value: ({ spec }) => spec?.priorityLevelConfiguration?.name ?? "",
  },
  {
    name: "MatchingPrecedence",
    type: "string",
    description: "Which schema wins: the lowest.",
    value: ({ spec }) => spec?.matchingPrecedence ?? 0,
  },
  {
    name: "DistinguisherMethod",
    type: "string",
    description: "How requests are told apart into flows.",
    value: ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>",
  },
  ageColumn,
  {
    name: "MissingPL",
    type: "string",
    description: "Whether the priority level is missing.",
    value: ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  },
]);
