import type { PriorityLevelConfiguration, QueuingConfiguration } from "@coxswain/types/flowcontrol-v1";
import { ageColumn, type Cell, defineColumns, nameColumn } from "../../../table/columns.ts";

export const priorityLevelConfigurationColumns = defineColumns<PriorityLevelConfiguration>([
  nameColumn,
  { name: "Type", type: "string", description: "Limited or Exempt.", value: ({ spec }) => spec?.type ?? "" },
  {
    name: "NominalConcurrencyShares",
    type: "string",
    description: "Its share of the server's concurrency.",
    value: ({ spec }) => (spec?.limited === undefined ? "<none>" : (spec.limited.nominalConcurrencyShares ?? 0)),
  },
  { name: "Queues", type: "string", description: "How many queues it has.", value: (obj) => queuingCell(obj, "queues") },
  { name: "HandSize", type: "string", description: "How many queues a flow may use.", value: (obj) => queuingCell(obj, "handSize") },
  {
    name: "QueueLengthLimit",
    type: "string",
    description: "How many requests may wait in a queue.",
    value: (obj) => queuingCell(obj, "queueLengthLimit"),
  },
  ageColumn,
]);

function queuingCell({ spec }: Readonly<PriorityLevelConfiguration>, field: keyof QueuingConfiguration): Cell {
  const queuing = spec?.limited?.limitResponse?.queuing;
  return queuing === undefined ? "<none>" : (queuing[field] ?? 0);
}
