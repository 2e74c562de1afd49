/** What a table has whatever Services there are: where packets come in, and what is asked of all of them. */
import { cidrContains, parseCidr, parseIp } from "@coxswain/machinery";
import type { NodeState, ProxyConfiguration } from "../contracts/configuration.ts";
import { familyOfCidr, familyOfIp, type IpFamily } from "../contracts/ip-family.ts";
import { canonicalIp } from "../services/service-port.ts";
import { notFromLocalPod } from "./local-traffic.ts";
import { type BaseRules, type Element, elementMap, type Hook, type Rule } from "./rules.ts";
import {
  concat,
  ctStateNew,
  ctStatusDnat,
  daddr,
  differs,
  dport,
  drop,
  equals,
  inSet,
  jump,
  l4proto,
  localAddress,
  markSet,
  masquerade,
  network,
  oneOf,
  reject,
  saddr,
  setMark,
  toggleMark,
  vmap,
} from "./statements.ts";

/** The chain that answers for Services without endpoints. */
export const rejectChain = "reject-chain";

/** Priorities of the kernel for destination and source translation. */
const dstnat = -100;
const srcnat = 100;

/** The base chains and what they jump to, in this order. */
const baseChains: readonly { readonly name: string; readonly hook: Hook; readonly rules: readonly Rule[] }[] = [
  // Before the translation, since what a load balancer's ranges are about is the address that the client knows.
  base("filter-prerouting-pre-dnat", "filter", "prerouting", dstnat - 10, [[ctStateNew, jump("firewall-check")]]),
  base("filter-output-pre-dnat", "filter", "output", dstnat - 10, [[ctStateNew, jump("firewall-check")]]),
  base("filter-input", "filter", "input", 0, [
    [ctStateNew, jump("nodeport-endpoints-check")],
    [ctStateNew, jump("service-endpoints-check")],
  ]),
  base("filter-forward", "filter", "forward", 0, [
    [ctStateNew, jump("service-endpoints-check")],
    [ctStateNew, jump("cluster-ips-check")],
  ]),
  base("filter-output", "filter", "output", 0, [
    [ctStateNew, jump("service-endpoints-check")],
    [ctStateNew, jump("cluster-ips-check")],
  ]),
  base("nat-prerouting", "nat", "prerouting", dstnat, [[jump("services")]]),
  base("nat-output", "nat", "output", dstnat, [[jump("services")]]),
  base("nat-postrouting", "nat", "postrouting", srcnat, [[jump("masquerading")]]),
];

/** A pure function: equal arguments, equal rules. */
export function baseRules(family: IpFamily, configuration: ProxyConfiguration, node: NodeState): BaseRules {
  const nodePortIps = nodePortAddresses(family, configuration, node);
  const toService = concat(daddr(family), l4proto, dport);
  const toNodePort = concat(l4proto, dport);
  const accepts = acceptsNodePorts(family, nodePortIps);
  const ordinary: Readonly<Record<string, readonly Rule[]>> = {
    [rejectChain]: [[reject]],
    "firewall-check": [[vmap(toService, "firewall-ips")]],
    "service-endpoints-check": [[vmap(toService, "no-endpoint-services")]],
    "nodeport-endpoints-check": [[...accepts.filtered, vmap(toNodePort, "no-endpoint-nodeports")]],
    "cluster-ips-check": clusterIpsCheck(family, node),
    services: [
      ...masqueradeToClusterIps(family, configuration, node),
      [vmap(toService, "service-ips")],
      [...accepts.translated, vmap(toNodePort, "service-nodeports")],
    ],
    masquerading: [
      [markSet(configuration.masqueradeBit), toggleMark(configuration.masqueradeBit), masquerade],
      // A Pod that reaches itself through a Service would answer itself directly, past the translation.
      [ctStatusDnat, inSet(concat(saddr(family), daddr(family), l4proto, dport), "hairpin-connections"), masquerade],
    ],
  };
  const elements = (nodePortIps ?? []).map((ip): Element => ({ container: "nodeport-ips", key: [ip] }));
  return {
    chains: new Map<string, { readonly hook: Hook | undefined; readonly rules: readonly Rule[] }>([
      ...Object.entries(ordinary).map(([name, rules]) => [name, { hook: undefined, rules }] as const),
      ...baseChains.map(({ name, hook, rules }) => [name, { hook, rules }] as const),
    ]),
    elements: elementMap(elements),
  };
}

/** Undefined: all addresses of the machine. The loopback's never are: what comes from there cannot go elsewhere. */
function nodePortAddresses(
  family: IpFamily,
  { nodePortAddresses: networks }: ProxyConfiguration,
  { interfaceAddresses }: NodeState,
): readonly string[] | undefined {
  const cidrs = networks.filter((cidr) => familyOfCidr(cidr) === family).flatMap((cidr) => parseCidr(cidr) ?? []);
  if (cidrs.length === 0 || cidrs.some(({ prefixLength }) => prefixLength === 0)) return undefined;
  const ips = interfaceAddresses.filter((text) => {
    const ip = parseIp(text);
    return ip !== undefined && familyOfIp(text) === family && !isLoopback(text) && cidrs.some((cidr) => cidrContains(cidr, ip));
  });
  return [...new Set(ips.map(canonicalIp))].sort();
}

const isLoopback = (ip: string): boolean => canonicalIp(ip) === "::1" || canonicalIp(ip).startsWith("127.");

function acceptsNodePorts(
  family: IpFamily,
  nodePortIps: readonly string[] | undefined,
): { readonly filtered: Rule; readonly translated: Rule } {
  if (nodePortIps !== undefined) {
    const listed = [inSet(daddr(family), "nodeport-ips")];
    return { filtered: listed, translated: listed };
  }
  const notLoopback = differs(daddr(family), family === "IPv4" ? network("127.0.0.0/8") : "::1");
  return { filtered: [notLoopback], translated: [localAddress("daddr"), notLoopback] };
}

/** Ports that a Service does not have are refused at once, and addresses that none has lead nowhere. */
function clusterIpsCheck(family: IpFamily, { serviceCidrs }: NodeState): readonly Rule[] {
  const cidrs = serviceCidrs.filter((cidr) => familyOfCidr(cidr) === family);
  const refused: Rule = [inSet(daddr(family), "cluster-ips"), reject];
  return cidrs.length === 0 ? [refused] : [refused, [equals(daddr(family), oneOf(cidrs.map(network))), drop]];
}

/** Where others than Pods use cluster IPs, answers must come back through this node. */
function masqueradeToClusterIps(family: IpFamily, configuration: ProxyConfiguration, node: NodeState): readonly Rule[] {
  const toClusterIp = inSet(daddr(family), "cluster-ips");
  const marked = setMark(configuration.masqueradeBit);
  if (configuration.masqueradeAll) return [[toClusterIp, marked]];
  const foreign = notFromLocalPod(family, configuration.detectLocal, node);
  return foreign === undefined ? [] : [[toClusterIp, ...foreign, marked]];
}

function base(name: string, type: Hook["type"], hook: Hook["hook"], ...[prio, rules]: readonly [number, readonly Rule[]]) {
  return { name, hook: { type, hook, prio }, rules };
}
