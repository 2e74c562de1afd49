import type { EndpointSlice } from "@coxswain/types/discovery-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const endpointSliceColumns = defineColumns<EndpointSlice>([
  nameColumn,
  { name: "AddressType", type: "string", description: "Family of the addresses.", value: ({ addressType }) => addressType ?? "" },
  {
    name: "Ports",
    type: "string",
    description: "The ports that receive traffic.",
    value: ({ ports }) => firstThree((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port)))),
  },
  {
    name: "Endpoints",
    type: "string",
    description: "The addresses that receive traffic.",
    value: ({ endpoints }) => firstThree((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
  },
  ageColumn,
]);

function firstThree(items: readonly string[]): string {
  if (items.length > 3) return `${items.slice(0, 3).join(",")} + ${items.length - 3} more...`;
  return items.join(",") || "<unset>";
}
