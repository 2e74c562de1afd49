/** What there is in the cluster that CoreDNS was asked about. */
import type { api } from "@coxswain/client";

type Service = api.coreV1.Service;
type EndpointSlice = api.discoveryV1.EndpointSlice;

export const namespaces: readonly string[] = ["default", "kube-system", "shop", "empty", "svc", "pod"];

const service = (namespace: string, name: string, spec: api.coreV1.ServiceSpec): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace, name },
  spec,
});

const ports = [
  { name: "http", protocol: "TCP", port: 80, targetPort: 8080 },
  { name: "metrics", protocol: "TCP", port: 9090, targetPort: 9090 },
  { name: "http-udp", protocol: "UDP", port: 80, targetPort: 8080 },
];
const headless = { clusterIP: "None", ports };
const dual = { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv4", "IPv6"] };

export const services: readonly Service[] = [
  service("default", "kubernetes", { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }] }),
  service("shop", "web", { clusterIP: "10.96.1.1", ports }),
  service("shop", "dual", { ...dual, clusterIP: "10.96.1.2", clusterIPs: ["10.96.1.2", "fd00:96::12"], ports }),
  service("shop", "six", {
    ipFamilies: ["IPv6"],
    ipFamilyPolicy: "SingleStack",
    clusterIP: "fd00:96::13",
    clusterIPs: ["fd00:96::13"],
    ports,
  }),
  service("shop", "unnamed", { clusterIP: "10.96.1.4", ports: [{ port: 5432, protocol: "TCP" }] }),
  service("shop", "no-endpoints", { clusterIP: "10.96.1.5", ports }),
  service("shop", "peers", { ...headless, publishNotReadyAddresses: true }),
  service("shop", "headless", headless),
  service("shop", "headless-empty", headless),
  service("shop", "headless-portless", { clusterIP: "None" }),
  service("shop", "headless-dual", { ...headless, ...dual }),
  service("shop", "node-port", { type: "NodePort", clusterIP: "10.96.1.6", ports }),
  service("shop", "external", { type: "ExternalName", externalName: "www.example.org" }),
  service("shop", "external-dot", { type: "ExternalName", externalName: "www.example.org." }),
  service("shop", "external-missing", { type: "ExternalName", externalName: "missing.example.org" }),
  service("shop", "external-inside", { type: "ExternalName", externalName: "web.shop.svc.cluster.local" }),
  service("shop", "external-nowhere", { type: "ExternalName", externalName: "nothing.shop.svc.cluster.local" }),
  service("shop", "external-chain", { type: "ExternalName", externalName: "external.shop.svc.cluster.local" }),
  service("shop", "external-self", { type: "ExternalName", externalName: "external-self.shop.svc.cluster.local" }),
  service("shop", "external-ring-a", { type: "ExternalName", externalName: "external-ring-b.shop.svc.cluster.local" }),
  service("shop", "external-ring-b", { type: "ExternalName", externalName: "external-ring-a.shop.svc.cluster.local" }),
  service("svc", "svc", { clusterIP: "10.96.1.7", ports }),
  service("shop", "many", headless),
];

interface Endpoint {
  readonly address: string;
  readonly hostname?: string;
  readonly ready?: boolean;
}

function slice(service: string, suffix: string, endpoints: readonly Endpoint[], own?: EndpointSlice["ports"]): EndpointSlice {
  const isIpv6 = endpoints.some(({ address }) => address.includes(":"));
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name: `${service}-${suffix}`, labels: { "kubernetes.io/service-name": service } },
    addressType: isIpv6 ? "IPv6" : "IPv4",
    endpoints: endpoints.map(({ address, hostname, ready }) => ({
      addresses: [address],
      ...(hostname === undefined ? {} : { hostname }),
      ...(ready === undefined ? {} : { conditions: { ready } }),
    })),
    ports: own ?? [
      { name: "http", protocol: "TCP", port: 8080 },
      { name: "metrics", protocol: "TCP", port: 9090 },
      { name: "http-udp", protocol: "UDP", port: 8080 },
    ],
  };
}

export const endpointSlices: readonly EndpointSlice[] = [
  slice("web", "a", [{ address: "10.1.0.1", ready: true }, { address: "10.1.0.2", ready: false }, { address: "10.1.0.3" }]),
  slice("peers", "a", [
    { address: "10.1.1.1", hostname: "peers-0", ready: true },
    { address: "10.1.1.2", hostname: "peers-1", ready: true },
  ]),
  slice("peers", "b", [{ address: "10.1.1.3", hostname: "peers-2", ready: true }]),
  slice("headless", "a", [{ address: "10.1.2.1" }, { address: "10.1.2.2", ready: false }, { address: "10.1.2.3", hostname: "named" }]),
  slice("headless-portless", "a", [{ address: "10.1.3.1" }], []),
  slice("headless-dual", "a", [{ address: "10.1.4.1", hostname: "both" }]),
  slice("headless-dual", "b", [{ address: "fd00:1::1", hostname: "both" }, { address: "fd00:1::" }]),
  slice("headless-dual", "c", [{ address: "10.1.4.1", hostname: "both" }]),
  slice(
    "many",
    "a",
    Array.from({ length: 60 }, (_, i) => ({ address: `10.1.5.${i + 1}` })),
  ),
];

export const pods: readonly { readonly namespace: string; readonly name: string; readonly address: string }[] = [
  { namespace: "shop", name: "web-1", address: "10.1.0.1" },
  { namespace: "shop", name: "six-1", address: "fd00:1::1" },
];
