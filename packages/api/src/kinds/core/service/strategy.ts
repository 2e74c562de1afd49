import type { Service } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { cidrWarnings, ipWarnings } from "../../../validation/address-warnings.ts";
import { serviceColumns } from "./columns.ts";
import { defaultService, prepareNewService, prepareServiceUpdate } from "./defaults.ts";
import { isHeadless, isIpSet, serviceSpecOf } from "./service-type.ts";
import { serviceSubresources } from "./subresources.ts";
import { validateServiceChange } from "./update.ts";
import { validateService } from "./validation.ts";

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
  validate: (next, prev) => [...(prev === undefined ? [] : validateServiceChange(next, prev)), ...validateService(next)],
  subresources: serviceSubresources,
  warnings,
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" }),
  columns: serviceColumns,
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
