import type { APIService } from "@coxswain/types/apiregistration-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const apiServiceColumns = defineColumns<APIService>([
  nameColumn,
  {
    name: "Service",
    type: "string",
    description: "The Service that serves the API, or Local.",
    value: ({ spec }) => (spec?.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`),
  },
  { name: "Available", type: "string", description: "Whether the API is served.", value: availableCell },
  ageColumn,
]);

function availableCell({ status }: Readonly<APIService>): string {
  const available = status?.conditions?.find(({ type }) => type === "Available");
  if (available === undefined) return "Unknown";
  return available.status !== "True" && available.reason ? `${available.status} (${available.reason})` : available.status;
}
