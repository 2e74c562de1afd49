/** Services and EndpointSlices for tests, and what they become. */
import type { api } from "@coxswain/client";
import type { NodeState, ProxyConfiguration } from "../contracts/configuration.ts";
import type { RulesetInput } from "./ruleset.ts";
import type { ObservedService } from "./service-rules.ts";

export const configuration: ProxyConfiguration = {
  nodeName: "n1",
  masqueradeAll: false,
  masqueradeBit: 14,
  detectLocal: { mode: "ClusterCIDR", cidrs: ["10.244.0.0/16"] },
  nodePortAddresses: [],
};

export const node: NodeState = {
  zone: "z1",
  podCidrs: ["10.244.1.0/24"],
  nodeIps: { IPv4: "192.0.2.1" },
  interfaceAddresses: ["127.0.0.1", "192.0.2.1", "198.51.100.1"],
  serviceCidrs: ["10.96.0.0/12"],
};

export const service = (
  name: string,
  spec: Partial<api.coreV1.ServiceSpec> = {},
  status: api.coreV1.ServiceStatus = {},
): api.coreV1.Service => ({
  metadata: { namespace: "d", name },
  spec: { type: "ClusterIP", clusterIP: "10.96.0.10", ports: [{ name: "web", port: 80, protocol: "TCP" }], ...spec },
  status,
});

export const slice = (name: string, endpoints: readonly api.discoveryV1.Endpoint[], port = 8080): api.discoveryV1.EndpointSlice => ({
  metadata: { namespace: "d", name: `${name}-1`, labels: { "kubernetes.io/service-name": name } },
  addressType: "IPv4",
  ports: [{ name: "web", port, protocol: "TCP" }],
  endpoints: [...endpoints],
});

export const onThisNode = (ip: string): api.discoveryV1.Endpoint => ({ addresses: [ip], nodeName: "n1" });
export const onAnotherNode = (ip: string): api.discoveryV1.Endpoint => ({ addresses: [ip], nodeName: "n2" });

export const input = (services: readonly ObservedService[], changed: Partial<RulesetInput> = {}): RulesetInput => ({
  family: "IPv4",
  configuration,
  node,
  services: new Map(services.map((one) => [`${one.service.metadata?.namespace}/${one.service.metadata?.name}`, one])),
  ...changed,
});
