import type { ComponentStatus } from "@coxswain/types/core-v1";
import { defineColumns, nameColumn } from "../../../table/columns.ts";

export const componentStatusColumns = defineColumns<ComponentStatus>([
  nameColumn,
  { name: "Status", type: "string", description: "Where the object stands in its life.", value: statusCell },
  { name: "Message", type: "string", description: "Details for people.", value: (obj) => healthOf(obj)?.message ?? "" },
  { name: "Error", type: "string", description: "What the component's health check reported.", value: (obj) => healthOf(obj)?.error ?? "" },
]);

const healthOf = ({ conditions }: Readonly<ComponentStatus>) => conditions?.find(({ type }) => type === "Healthy");

function statusCell(obj: Readonly<ComponentStatus>): string {
  const health = healthOf(obj);
  if (health === undefined) return "Unknown";
  return health.status === "True" ? "Healthy" : "Unhealthy";
}
