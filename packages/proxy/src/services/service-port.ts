/** A port of a Service as the rules of one family want it. */
import type { api } from "@coxswain/client";
import { formatCidr, formatIp, parseCidr, parseIp } from "@coxswain/machinery";
import { familyOfCidr, familyOfIp, type IpFamily } from "../contracts/ip-family.ts";

/** Protocols as nftables calls them. */
export type Protocol = "tcp" | "udp" | "sctp";

/** One port of one Service in one family. */
export interface ServicePort {
  readonly namespace: string;
  readonly service: string;
  /** Empty for the only port of a Service. */
  readonly portName: string;
  readonly protocol: Protocol;
  readonly clusterIp: string;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  readonly externalIps: readonly string[];
  /** Addresses of the load balancer that packets still have when they come to the node (`ipMode: VIP`). */
  readonly loadBalancerVips: readonly string[];
  /** Who may use the load balancer; empty: anybody. */
  readonly loadBalancerSourceRanges: readonly string[];
  /** So long a client stays with its endpoint after its last connection; undefined without affinity. */
  readonly affinitySeconds: number | undefined;
  readonly externalPolicyLocal: boolean;
  readonly internalPolicyLocal: boolean;
}

/** Headless Services, those of type ExternalName and those without an address of the family have none. */
export function servicePortsOf(service: api.coreV1.Service, family: IpFamily): readonly ServicePort[] {
  const clusterIp = clusterIpOf(service, family);
  const { spec } = service;
  if (spec === undefined || clusterIp === undefined) return [];
  const ofFamily = (ips: readonly string[]): string[] => [...new Set(ips.filter((ip) => familyOfIp(ip) === family).map(canonicalIp))];
  const shared = {
    namespace: service.metadata?.namespace ?? "",
    service: service.metadata?.name ?? "",
    clusterIp,
    externalIps: ofFamily(spec.externalIPs ?? []),
    loadBalancerVips: ofFamily(vipsOf(service)),
    loadBalancerSourceRanges: sourceRanges(spec.loadBalancerSourceRanges ?? [], family),
    affinitySeconds: affinitySecondsOf(spec),
    externalPolicyLocal: hasLocalExternalPolicy(service),
    internalPolicyLocal: spec.internalTrafficPolicy === "Local",
  };
  return (spec.ports ?? []).flatMap(({ name = "", protocol, port, nodePort = 0 }) => {
    const known = protocolOf(protocol);
    return known === undefined ? [] : [{ ...shared, portName: name, protocol: known, port, nodePort }];
  });
}

/** Undefined for a protocol that no rule can be about. */
export function protocolOf(name = "TCP"): Protocol | undefined {
  switch (name) {
    case "TCP":
      return "tcp";
    case "UDP":
      return "udp";
    case "SCTP":
      return "sctp";
    default:
      return undefined;
  }
}

/** Whether it is reached by other addresses than its cluster IP. */
export const isExternallyAccessible = (port: ServicePort): boolean =>
  port.nodePort !== 0 || port.loadBalancerVips.length > 0 || port.externalIps.length > 0;

/** The port at which a load balancer asks for endpoints on this node; undefined where none does. */
export function healthCheckNodePortOf(service: api.coreV1.Service): number | undefined {
  const port = service.spec?.healthCheckNodePort ?? 0;
  return port !== 0 && service.spec?.type === "LoadBalancer" && hasLocalExternalPolicy(service) ? port : undefined;
}

/** One spelling for each address, so that equal ones are one element of a set. */
export function canonicalIp(text: string): string {
  const ip = parseIp(text);
  return ip === undefined ? text : formatIp(ip);
}

function hasLocalExternalPolicy({ spec }: api.coreV1.Service): boolean {
  if (spec?.externalTrafficPolicy !== "Local") return false;
  return spec.type === "LoadBalancer" || spec.type === "NodePort" || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
}

function clusterIpOf({ spec }: api.coreV1.Service, family: IpFamily): string | undefined {
  if (spec === undefined || spec.type === "ExternalName" || spec.clusterIP === "None") return undefined;
  const ips = spec.clusterIPs === undefined || spec.clusterIPs.length === 0 ? [spec.clusterIP ?? ""] : spec.clusterIPs;
  const ip = ips.find((one) => familyOfIp(one) === family);
  return ip === undefined ? undefined : canonicalIp(ip);
}

const vipsOf = (service: api.coreV1.Service): string[] =>
  (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode = "VIP" }) => (ip !== undefined && ipMode === "VIP" ? [ip] : []));

/** A range of all addresses is as good as none. Ranges may stand between spaces, which validation lets pass. */
function sourceRanges(ranges: readonly string[], family: IpFamily): readonly string[] {
  const cidrs = ranges.map((range) => range.trim()).filter((range) => familyOfCidr(range) === family);
  const parsed = cidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
  return parsed.some(({ prefixLength }) => prefixLength === 0) ? [] : [...new Set(parsed.map(formatCidr))];
}

const affinitySecondsOf = ({ sessionAffinity, sessionAffinityConfig }: api.coreV1.ServiceSpec): number | undefined =>
  sessionAffinity === "ClientIP" ? (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : undefined;
