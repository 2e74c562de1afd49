import type { LoadBalancerStatus, Service, ServicePort } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { formatSelector } from "../../../validation/label-selector.ts";
import { serviceSpecOf } from "./service-type.ts";

export const serviceColumns = defineColumns<Service>([
  nameColumn,
  { name: "Type", type: "string", description: "How the Service is exposed.", value: (obj) => serviceSpecOf(obj).type ?? "" },
  {
    name: "Cluster-IP",
    type: "string",
    description: "Virtual address inside the cluster.",
    value: (obj) => serviceSpecOf(obj).clusterIPs?.[0] ?? "<none>",
  },
  { name: "External-IP", type: "string", description: "Addresses outside the cluster.", value: (obj) => externalCell(obj) },
  {
    name: "Port(s)",
    type: "string",
    description: "Ports and protocols it listens on.",
    value: (obj) => (serviceSpecOf(obj).ports ?? []).map(portText).join(",") || "<none>",
  },
  ageColumn,
  {
    name: "Selector",
    type: "string",
    priority: 1,
    description: "Labels that select what belongs to it.",
    value: (obj) => formatSelector({ matchLabels: serviceSpecOf(obj).selector ?? {} }),
  },
]);

const portText = ({ port, nodePort, protocol }: ServicePort): string =>
  nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;

function externalCell({ spec = {}, status }: Readonly<Service>): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(status?.loadBalancer), ...externalIPs].join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

/** Each ingress point by its address, or else its name. */
const loadBalancerAddresses = (status: LoadBalancerStatus | undefined): string[] =>
  [...new Set((status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter(Boolean))].sort();
