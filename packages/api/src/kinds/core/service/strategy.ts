import { field } from "@coxswain/machinery";
import { ageCell } from "../../../strategy/age.ts";
import { type Cell, defineKind } from "../../../strategy/strategy.ts";
import type { LoadBalancerStatus, Service, ServicePort } from "../../../types/core-v1.ts";
import { cidrWarnings, ipWarnings } from "../../../validation/address-warnings.ts";
import { formatSelector } from "../../../validation/label-selector.ts";
import { checkLoadBalancerStatus } from "../../../validation/load-balancer-status.ts";
import { defaultService, prepareNewService, prepareServiceUpdate } from "./defaults.ts";
import { isHeadless, isIpSet, serviceSpecOf } from "./service-type.ts";
import { checkServiceChange } from "./update.ts";
import { checkService } from "./validation.ts";

/** Addresses and node ports are handed out by the server; everything else that is filled in is here. */
export const service = defineKind<Service>({
  type: "io.k8s.api.core.v1.Service",
  name: "dns1123Label",
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  generation: "never",
  defaults: defaultService,
  prepareForCreate: prepareNewService,
  prepareForUpdate: prepareServiceUpdate,
  validate: (next, prev) => [...(prev === undefined ? [] : checkServiceChange(next, prev)), ...checkService(next)],
  validateStatusUpdate: ({ spec, status }) => {
    const ingress = status?.loadBalancer?.ingress ?? [];
    if (spec?.type !== "LoadBalancer" && ingress.length > 0) {
      return [field.forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")];
    }
    return checkLoadBalancerStatus(ingress, { withMode: true });
  },
  warnings,
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" }),
  cells,
});

function* warnings(obj: Readonly<Service>): Generator<string> {
  const spec = serviceSpecOf(obj);
  const { type, externalIPs = [], loadBalancerIP, externalName, clusterIPs = [] } = spec;
  if (obj.metadata?.annotations?.["service.kubernetes.io/topology-aware-hints"] !== undefined) {
    yield "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead";
  }
  if (isIpSet(spec)) for (const [i, ip] of clusterIPs.entries()) yield* ipWarnings(`spec.clusterIPs[${i}]`, ip);
  const headless = isHeadless(spec);
  if (headless) {
    if (loadBalancerIP) yield "spec.loadBalancerIP is ignored for headless services";
    if (externalIPs.length > 0) yield "spec.externalIPs is ignored for headless services";
    if (spec.sessionAffinity !== "None") yield "spec.SessionAffinity is ignored for headless services";
  }
  for (const [i, ip] of externalIPs.entries()) yield* ipWarnings(`spec.externalIPs[${i}]`, ip);
  if (externalIPs.length > 0 && !headless && type !== "ExternalName") {
    yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
  }
  if (loadBalancerIP) yield* ipWarnings("spec.loadBalancerIP", loadBalancerIP);
  for (const [i, cidr] of (spec.loadBalancerSourceRanges ?? []).entries()) yield* cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, cidr);
  if (type === "ExternalName" && externalIPs.length > 0) yield 'spec.externalIPs is ignored when spec.type is "ExternalName"';
  if (type !== "ExternalName" && externalName) yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
  if (spec.trafficDistribution === "PreferClose") yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
}

function cells(obj: Readonly<Service>, now: number): Cell[] {
  const { metadata } = obj;
  const spec = serviceSpecOf(obj);
  return [
    metadata?.name ?? "",
    spec.type ?? "",
    spec.clusterIPs?.[0] ?? "<none>",
    externalCell(obj),
    (spec.ports ?? []).map(portText).join(",") || "<none>",
    ageCell(metadata?.creationTimestamp, now),
    formatSelector({ matchLabels: spec.selector ?? {} }),
  ];
}

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
