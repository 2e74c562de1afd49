/** The Service that clients expect cluster DNS behind, and its EndpointSlices, for a server that is no Pod. */
import { isIPv6 } from "node:net";
import type { api } from "@coxswain/client";

export interface KubeDnsOptions {
  /** Of the Service: what kubelets tell their Pods. */
  readonly clusterIps: readonly string[];
  /** Where this server is reached from Pods. */
  readonly addresses: readonly string[];
  readonly port: number;
}

export const kubeDnsNamespace = "kube-system";
export const kubeDnsName = "kube-dns";

const managedBy = "dns.coxswain";
const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const serviceLabels = { "k8s-app": kubeDnsName, "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS" };
const servicePorts = [
  { name: "dns", protocol: "UDP", port: 53, targetPort: 53 },
  { name: "dns-tcp", protocol: "TCP", port: 53, targetPort: 53 },
] as const;

/** As kubeadm makes it, but that it selects no Pods. */
export function kubeDnsService({ clusterIps, port }: KubeDnsOptions): api.coreV1.Service {
  const [clusterIP = ""] = clusterIps;
  const dualStack = clusterIps.length > 1 ? { clusterIPs: [...clusterIps], ipFamilyPolicy: "RequireDualStack" } : {};
  return {
    metadata: { name: kubeDnsName, namespace: kubeDnsNamespace, labels: serviceLabels },
    spec: { type: "ClusterIP", clusterIP, ...dualStack, ports: servicePorts.map((one) => ({ ...one, targetPort: port })) },
  };
}

/** One for each family of addresses. */
export function kubeDnsEndpointSlices({ addresses, port }: KubeDnsOptions): api.discoveryV1.EndpointSlice[] {
  const ports = servicePorts.map(({ name, protocol }) => ({ name, protocol, port }));
  return (["IPv4", "IPv6"] as const).flatMap((addressType) => {
    const own = addresses.filter((address) => isIPv6(address) === (addressType === "IPv6"));
    if (own.length === 0) return [];
    return {
      metadata: {
        name: `${kubeDnsName}-${addressType.toLowerCase()}`,
        namespace: kubeDnsNamespace,
        labels: { "kubernetes.io/service-name": kubeDnsName, [managedByLabel]: managedBy },
      },
      addressType,
      endpoints: own.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports,
    };
  });
}

/** What the Pods of a Deployment answer is not ours to change. */
export const isForeign = ({ spec }: api.coreV1.Service): boolean => Object.keys(spec?.selector ?? {}).length > 0;

/** Whether a slice says what ours does. */
export function isSameSlice(one: api.discoveryV1.EndpointSlice, other: api.discoveryV1.EndpointSlice): boolean {
  return textOf(one) === textOf(other);
}

const textOf = ({ metadata, endpoints = [], ports }: api.discoveryV1.EndpointSlice): string =>
  JSON.stringify([
    metadata?.labels?.["kubernetes.io/service-name"],
    endpoints.map(({ addresses, conditions }) => [addresses, conditions?.ready]),
    (ports ?? []).map(({ name, protocol, port }) => [name, protocol, port]),
  ]);
