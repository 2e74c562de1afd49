import type { EndpointSubset, Endpoints } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const endpointsColumns = defineColumns<Endpoints>([
  nameColumn,
  {
    name: "Endpoints",
    type: "string",
    description: "The addresses that receive traffic.",
    value: (obj) => endpointsCell(obj.subsets ?? []),
  },
  ageColumn,
]);

/** The first few, without ever making the product of all ports and addresses. */
function endpointsCell(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const shown: string[] = [];
  let count = 0;
  for (const { addresses = [], ports = [] } of subsets) {
    const first = addresses.slice(0, shownEndpoints).map(({ ip }) => ip);
    if (ports.length === 0) shown.push(...first);
    else for (const { port } of ports.slice(0, shownEndpoints)) shown.push(...first.map((ip) => hostPort(ip, port)));
    count += addresses.length * Math.max(ports.length, 1);
    shown.length = Math.min(shown.length, shownEndpoints);
  }
  return count > shownEndpoints ? `${shown.join(",")} + ${count - shownEndpoints} more...` : shown.join(",");
}

const hostPort = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);

const shownEndpoints = 3;
