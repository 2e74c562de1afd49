/** The rules of one Service in one family: a pure function of it, its EndpointSlices, the node and the configuration. */
import type { api } from "@coxswain/client";
import { cidrContains, parseCidr, parseIp } from "@coxswain/machinery";
import type { NodeState, ProxyConfiguration } from "../contracts/configuration.ts";
import type { IpFamily } from "../contracts/ip-family.ts";
import { type CategorizedEndpoints, categorizeEndpoints } from "../services/categorize-endpoints.ts";
import { type Endpoint, endpointKey, endpointsOf } from "../services/endpoint.ts";
import { isExternallyAccessible, type ServicePort, servicePortsOf } from "../services/service-port.ts";
import { rejectChain } from "./base-rules.ts";
import { fromLocalPod } from "./local-traffic.ts";
import { chainName, endpointName } from "./names.ts";
import { type Action, type Element, elementMap, type Rule, type ServiceRules } from "./rules.ts";
import {
  differs,
  dnatTo,
  dnatToAny,
  drop,
  goTo,
  goToAny,
  inSet,
  localAddress,
  network,
  oneIn,
  oneOf,
  remember,
  saddr,
  setMark,
} from "./statements.ts";

/** What rules of Services depend on beside the Service. */
export interface RuleContext {
  readonly family: IpFamily;
  readonly configuration: ProxyConfiguration;
  readonly node: NodeState;
}

/** A Service with all of its EndpointSlices, those of the other family too. */
export interface ObservedService {
  readonly service: api.coreV1.Service;
  readonly slices: Iterable<api.discoveryV1.EndpointSlice>;
}

/** Undefined for a Service that needs no rules, as a headless one. */
export function serviceRules({ service, slices }: ObservedService, context: RuleContext): ServiceRules | undefined {
  const ports = servicePortsOf(service, context.family);
  if (ports.length === 0) return undefined;
  const endpoints = endpointsOf(slices, context.family, context.configuration.nodeName);
  const parts = ports.map((port) => portRules(port, endpoints.get(endpointKey(port)) ?? [], context));
  return {
    chains: new Map(parts.flatMap(({ chains }) => chains)),
    affinitySets: new Map(parts.flatMap(({ affinitySets }) => affinitySets)),
    elements: elementMap(parts.flatMap(({ elements }) => elements)),
  };
}

type Chain = readonly [name: string, rules: readonly Rule[]];

interface PortRules {
  readonly chains: readonly Chain[];
  readonly affinitySets: readonly (readonly [name: string, timeoutSeconds: number])[];
  readonly elements: readonly Element[];
}

function portRules(port: ServicePort, endpoints: readonly Endpoint[], context: RuleContext): PortRules {
  const { configuration, node } = context;
  const categorized = categorizeEndpoints(endpoints, port, { nodeName: configuration.nodeName, zone: node.zone });
  const { cluster, local, reachable, hasAny } = categorized;
  const { affinitySeconds } = port;
  const policyChain = (role: "service" | "local", chosen: readonly Endpoint[]): readonly Chain[] =>
    chosen.length === 0 ? [] : [[chainName(role, port), toEndpoints(port, chosen, context)]];
  return {
    chains: [
      ...policyChain("service", cluster),
      ...policyChain("local", local),
      ...(hasAny && isExternallyAccessible(port)
        ? [[chainName("external", port), externalRules(port, categorized, context)] as const]
        : []),
      ...(usesFirewall(port) ? [[chainName("firewall", port), [firewallRule(port, context)]] as const] : []),
      ...(affinitySeconds === undefined ? [] : reachable.map((endpoint) => endpointChain(port, endpoint, context))),
    ],
    affinitySets:
      affinitySeconds === undefined ? [] : reachable.map((one) => [endpointName("affinity", port, one), affinitySeconds] as const),
    elements: [...hairpins(port, reachable), ...dispatch(port, categorized)],
  };
}

/**
 * The kernel looks through all unnamed maps of a table whenever one is made: where each of ten thousand Services had one, writing all
 * of them would take half a minute. So few endpoints are chosen by a rule each, which the packets of new connections come by.
 */
const maxEndpointsByRules = 8;

/** Rules of which each takes its part of what those before it have left, so that all get as much. */
function byChance<T>(targets: readonly T[], to: (target: T) => Rule): readonly Rule[] {
  return targets.map((target, at) => {
    const left = targets.length - at;
    return left === 1 ? to(target) : [oneIn(left), ...to(target)];
  });
}

/** Where a Service keeps clients at their endpoint, each endpoint has a chain that remembers who came. */
function toEndpoints(port: ServicePort, endpoints: readonly Endpoint[], { family }: RuleContext): readonly Rule[] {
  const hasFew = endpoints.length <= maxEndpointsByRules;
  if (port.affinitySeconds === undefined)
    return hasFew
      ? byChance(endpoints, (endpoint) => dnatTo(family, port.protocol, endpoint))
      : [dnatToAny(family, port.protocol, endpoints)];
  const chainOf = (endpoint: Endpoint): string => endpointName("endpoint", port, endpoint);
  return [
    ...endpoints.map((endpoint) => [inSet(saddr(family), endpointName("affinity", port, endpoint)), goTo(chainOf(endpoint))]),
    ...(hasFew ? byChance(endpoints, (endpoint) => [goTo(chainOf(endpoint))]) : [[goToAny(endpoints.map(chainOf))]]),
  ];
}

const endpointChain = (port: ServicePort, endpoint: Endpoint, { family }: RuleContext): Chain => [
  endpointName("endpoint", port, endpoint),
  [[remember(family, endpointName("affinity", port, endpoint))], dnatTo(family, port.protocol, endpoint)],
];

/** What comes by a node port, an external address or a load balancer's. */
function externalRules(port: ServicePort, { local, hasAny }: CategorizedEndpoints, context: RuleContext): readonly Rule[] {
  const { family, configuration, node } = context;
  const marked = setMark(configuration.masqueradeBit);
  // The endpoint may be on another node: its answer must come back through this one.
  if (!port.externalPolicyLocal) return [[marked], ...(hasAny ? [[goTo(chainName("service", port))]] : [])];
  const fromPod = fromLocalPod(family, configuration.detectLocal, node);
  const toAll = goTo(chainName("service", port));
  return [
    // Traffic of the node and its Pods is as if it had gone out to the load balancer and come back at any node.
    ...(fromPod === undefined ? [] : [[...fromPod, toAll]]),
    [localAddress("saddr"), marked],
    [localAddress("saddr"), toAll],
    ...(local.length > 0 ? [[goTo(chainName("local", port))]] : []),
  ];
}

const usesFirewall = (port: ServicePort): boolean => port.loadBalancerVips.length > 0 && port.loadBalancerSourceRanges.length > 0;

/** Where the node itself may come, so may its own connections, whose source can be the load balancer's address. */
function firewallRule(port: ServicePort, { family, node }: RuleContext): Rule {
  const nodeIp = parseIp(node.nodeIps[family] ?? "");
  const allowsNode = port.loadBalancerSourceRanges.some((range) => {
    const cidr = parseCidr(range);
    return cidr !== undefined && nodeIp !== undefined && cidrContains(cidr, nodeIp);
  });
  const sources = [...port.loadBalancerSourceRanges.map(network), ...(allowsNode ? port.loadBalancerVips : [])];
  return [differs(saddr(family), oneOf(sources)), drop];
}

const hairpins = ({ protocol }: ServicePort, endpoints: readonly Endpoint[]): Element[] =>
  endpoints.filter(({ isLocal }) => isLocal).map(({ ip, port }) => ({ container: "hairpin-connections", key: [ip, ip, protocol, port] }));

/** Which address and port leads where: to a chain, to a refusal where there is no endpoint at all, or nowhere. */
function dispatch(port: ServicePort, { local, hasAny }: CategorizedEndpoints): Element[] {
  const { protocol, nodePort } = port;
  const internal = hasAny && (!port.internalPolicyLocal || local.length > 0);
  const external = hasAny && (!port.externalPolicyLocal || local.length > 0);
  const internalChain = chainName(port.internalPolicyLocal ? "local" : "service", port);
  const toExternal: Action = { goto: chainName("external", port) };
  const unserved: Action = hasAny ? { drop: true } : { goto: rejectChain };
  const at = (ip: string): Element["key"] => [ip, protocol, port.port];
  const elements: Element[] = [
    { container: "cluster-ips", key: [port.clusterIp] },
    internal
      ? { container: "service-ips", key: at(port.clusterIp), verdict: { goto: internalChain } }
      : { container: "no-endpoint-services", key: at(port.clusterIp), verdict: unserved },
  ];
  for (const ip of [...port.externalIps, ...port.loadBalancerVips]) {
    if (hasAny) elements.push({ container: "service-ips", key: at(ip), verdict: toExternal });
    if (!external) elements.push({ container: "no-endpoint-services", key: at(ip), verdict: unserved });
  }
  if (usesFirewall(port))
    for (const ip of port.loadBalancerVips)
      elements.push({ container: "firewall-ips", key: at(ip), verdict: { goto: chainName("firewall", port) } });
  if (nodePort !== 0) {
    const key = [protocol, nodePort];
    if (hasAny) elements.push({ container: "service-nodeports", key, verdict: toExternal });
    if (!external) elements.push({ container: "no-endpoint-nodeports", key, verdict: unserved });
  }
  return elements;
}
