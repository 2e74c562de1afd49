/** Writes the proxy's rules for shapes into a namespace, as a node that has all of them would. */
import { formatCidr, parseCidr } from "@coxswain/machinery";
import {
  fullSync,
  ipFamilies,
  type NodeState,
  nftProgram,
  type ObservedService,
  type ProxyConfiguration,
  type Ruleset,
  rulesetOf,
} from "@coxswain/proxy";
import { clusterCidrs, type Network, nodeAddress, serviceCidrs } from "./network.ts";
import { namespace, nodeName, type Shape, zone } from "./shapes.ts";

export const configuration: ProxyConfiguration = {
  nodeName,
  masqueradeAll: false,
  masqueradeBit: 14,
  detectLocal: { mode: "ClusterCIDR", cidrs: clusterCidrs },
  nodePortAddresses: [],
};

export const nodeState: NodeState = {
  zone,
  podCidrs: [],
  nodeIps: { IPv4: nodeAddress.ipv4, IPv6: nodeAddress.ipv6 },
  interfaceAddresses: [],
  serviceCidrs: serviceCidrs.map((cidr) => {
    const parsed = parseCidr(cidr);
    return parsed === undefined ? cidr : formatCidr(parsed);
  }),
};

const rulesetsOf = (shapes: readonly Shape[], more: Partial<ProxyConfiguration>): readonly Ruleset[] =>
  ipFamilies.map((family) =>
    rulesetOf({
      family,
      configuration: { ...configuration, ...more },
      node: nodeState,
      services: new Map(shapes.flatMap((shape) => watched(shape) ?? [])),
    }),
  );

/** What a proxy is told of, by the label selectors of its watches. */
function watched({ name, service, slices }: Shape): readonly [readonly [string, ObservedService]] | undefined {
  const labels = service.metadata?.labels ?? {};
  if ("service.kubernetes.io/service-proxy-name" in labels) return undefined;
  return [[`${namespace}/${name}`, { service, slices: "service.kubernetes.io/headless" in labels ? [] : slices }]];
}

export async function writeRules(network: Network, shapes: readonly Shape[], more: Partial<ProxyConfiguration> = {}): Promise<void> {
  const nft = nftProgram([...network.inside("node"), "nft"]);
  for (const ruleset of rulesetsOf(shapes, more)) await nft.run(fullSync(ruleset, await nft.readTable(ruleset.family)).commands);
}
