import type { Ingress } from "@coxswain/types/networking-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const ingressColumns = defineColumns<Ingress>([
  nameColumn,
  { name: "Class", type: "string", description: "The class that serves it.", value: ({ spec = {} }) => spec.ingressClassName ?? "<none>" },
  {
    name: "Hosts",
    type: "string",
    description: "Host names it routes.",
    value: ({ spec = {} }) => hostsCell((spec.rules ?? []).map(({ host = "" }) => host)),
  },
  { name: "Address", type: "string", description: "Addresses of the load balancer.", value: addressCell },
  {
    name: "Ports",
    type: "string",
    description: "The ports that receive traffic.",
    value: ({ spec = {} }) => ((spec.tls ?? []).length > 0 ? "80, 443" : "80"),
  },
  ageColumn,
]);

/** Three hosts; when rules follow the third, how many rules there are beyond three. */
function hostsCell(hosts: readonly string[]): string {
  const named: string[] = [];
  let more = false;
  for (const host of hosts) {
    if (named.length === shownHosts) more = true;
    else if (host !== "") named.push(host);
  }
  if (named.length === 0) return "*";
  return more ? `${named.join(",")} + ${hosts.length - shownHosts} more...` : named.join(",");
}

const shownHosts = 3;

function addressCell({ status }: Readonly<Ingress>): string {
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter(Boolean);
  return [...new Set(addresses)].sort().join(",");
}
