/** What distinguishes the Services that are compared with kube-proxy's. New ones go to the end: the place gives the addresses. */
import type { api } from "@coxswain/client";

export interface EndpointSpec {
  readonly at: "a" | "b" | "remote";
  readonly state?: "ready" | "not-ready" | "serving-terminating" | "terminating";
  readonly zones?: readonly string[];
  readonly nodes?: readonly string[];
  /** Empty: it does not say on which node it is. */
  readonly nodeName?: "";
  readonly port?: number;
}

export interface ShapeSpec {
  readonly name: string;
  readonly kind?: "headless" | "ExternalName";
  readonly type?: "ClusterIP" | "NodePort" | "LoadBalancer";
  readonly service?: Partial<api.coreV1.ServiceSpec>;
  readonly status?: Partial<api.coreV1.ServiceStatus>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly families?: readonly ("ipv4" | "ipv6")[];
  readonly protocols?: readonly ("TCP" | "UDP")[];
  readonly noNodePorts?: boolean;
  readonly usesExternalIps?: boolean;
  readonly ipMode?: "VIP" | "Proxy";
  readonly triesOtherPort?: boolean;
  /** Of the slices, where it is not the Service's. */
  readonly portName?: string;
  /** A list for each slice. */
  readonly endpoints: readonly (readonly EndpointSpec[])[];
}

const a: EndpointSpec = { at: "a" };
const b: EndpointSpec = { at: "b" };
const remote: EndpointSpec = { at: "remote" };
const both = [[a, remote]];
const ending = (one: EndpointSpec): EndpointSpec => ({ ...one, state: "serving-terminating" });
const notReady = (one: EndpointSpec): EndpointSpec => ({ ...one, state: "not-ready" });
const inZone = (one: EndpointSpec, zone: string): EndpointSpec => ({ ...one, zones: [zone] });
const onNode = (one: EndpointSpec, node: string): EndpointSpec => ({ ...one, nodes: [node] });

const NodePort = "NodePort";
const LoadBalancer = "LoadBalancer";
const externalLocal = { externalTrafficPolicy: "Local" } as const;
const internalLocal = { internalTrafficPolicy: "Local" } as const;
const affinity = { sessionAffinity: "ClientIP" } as const;
const ranges = (...loadBalancerSourceRanges: string[]) => ({ loadBalancerSourceRanges });

export const shapeSpecs: readonly ShapeSpec[] = [
  { name: "cluster-ip", endpoints: both, triesOtherPort: true },
  { name: "cluster-ip-one-local", endpoints: [[a]] },
  { name: "cluster-ip-three", endpoints: [[a, b, remote]] },
  { name: "cluster-ip-no-endpoints", endpoints: [], triesOtherPort: true },
  { name: "cluster-ip-not-ready", endpoints: [[notReady(a), notReady(remote)]] },
  { name: "cluster-ip-serving-terminating", endpoints: [[ending(a), ending(remote)]] },
  { name: "cluster-ip-ready-and-terminating", endpoints: [[a, ending(remote)]] },
  { name: "cluster-ip-terminating", endpoints: [[{ at: "a", state: "terminating" }]] },
  { name: "cluster-ip-two-slices", endpoints: [[a], [remote]] },
  { name: "cluster-ip-same-address-twice", endpoints: [[a], [ending(a)]] },
  { name: "cluster-ip-other-target-ports", endpoints: [[{ ...a, port: 8081 }], [remote]] },
  { name: "cluster-ip-other-port-name", endpoints: both, portName: "other" },
  { name: "ipv4-only", endpoints: both, families: ["ipv4"] },
  { name: "ipv6-only", endpoints: both, families: ["ipv6"] },
  { name: "udp", endpoints: both, protocols: ["UDP"] },
  { name: "udp-no-endpoints", endpoints: [], protocols: ["UDP"] },
  { name: "tcp-and-udp", endpoints: both, protocols: ["TCP", "UDP"], type: NodePort },
  { name: "udp-node-port-local", endpoints: both, protocols: ["UDP"], type: NodePort, service: externalLocal },
  { name: "node-port", endpoints: both, type: NodePort },
  { name: "node-port-one-local", endpoints: [[a]], type: NodePort },
  { name: "node-port-remote-only", endpoints: [[remote]], type: NodePort },
  { name: "node-port-no-endpoints", endpoints: [], type: NodePort },
  { name: "node-port-local", endpoints: both, type: NodePort, service: externalLocal },
  { name: "node-port-local-remote-only", endpoints: [[remote]], type: NodePort, service: externalLocal },
  { name: "node-port-local-no-endpoints", endpoints: [], type: NodePort, service: externalLocal },
  { name: "node-port-local-terminating", endpoints: [[ending(a), remote]], type: NodePort, service: externalLocal },
  { name: "node-port-local-unknown-node", endpoints: [[{ ...a, nodeName: "" }]], type: NodePort, service: externalLocal },
  { name: "internal-local", endpoints: both, service: internalLocal },
  { name: "internal-local-remote-only", endpoints: [[remote]], service: internalLocal },
  { name: "internal-local-no-endpoints", endpoints: [], service: internalLocal },
  { name: "internal-local-terminating", endpoints: [[ending(a), remote]], service: internalLocal },
  { name: "internal-local-node-port", endpoints: [[remote]], type: NodePort, service: internalLocal },
  { name: "both-local", endpoints: both, type: NodePort, service: { ...internalLocal, ...externalLocal } },
  { name: "both-local-remote-only", endpoints: [[remote]], type: NodePort, service: { ...internalLocal, ...externalLocal } },
  { name: "load-balancer", endpoints: both, type: LoadBalancer },
  { name: "load-balancer-local", endpoints: both, type: LoadBalancer, service: externalLocal },
  { name: "load-balancer-local-remote-only", endpoints: [[remote]], type: LoadBalancer, service: externalLocal },
  { name: "load-balancer-no-endpoints", endpoints: [], type: LoadBalancer },
  { name: "load-balancer-proxy-mode", endpoints: both, type: LoadBalancer, ipMode: "Proxy" },
  {
    name: "load-balancer-no-node-ports",
    endpoints: both,
    type: LoadBalancer,
    noNodePorts: true,
    service: { allocateLoadBalancerNodePorts: false },
  },
  { name: "source-ranges-outside", endpoints: both, type: LoadBalancer, service: ranges("192.168.77.2/32", "fd00:77::2/128") },
  { name: "source-ranges-others", endpoints: both, type: LoadBalancer, service: ranges("203.0.113.0/24", "2001:db8::/32") },
  { name: "source-ranges-node", endpoints: both, type: LoadBalancer, service: ranges("192.168.77.0/24", "fd00:77::/64") },
  { name: "source-ranges-pods", endpoints: both, type: LoadBalancer, service: ranges("10.244.0.0/16") },
  { name: "source-ranges-all", endpoints: both, type: LoadBalancer, service: ranges("0.0.0.0/0", "203.0.113.0/24", "::/0") },
  { name: "source-ranges-local", endpoints: both, type: LoadBalancer, service: { ...ranges("192.168.77.2/32"), ...externalLocal } },
  { name: "external-ips", endpoints: both, usesExternalIps: true },
  { name: "external-ips-no-endpoints", endpoints: [], usesExternalIps: true },
  { name: "external-ips-local", endpoints: both, usesExternalIps: true, service: externalLocal },
  { name: "external-ips-local-remote-only", endpoints: [[remote]], usesExternalIps: true, service: externalLocal },
  { name: "affinity", endpoints: [[a, b, remote]], service: affinity },
  { name: "affinity-node-port", endpoints: both, type: NodePort, service: affinity },
  { name: "affinity-local", endpoints: [[a, b]], type: LoadBalancer, service: { ...affinity, ...externalLocal } },
  { name: "affinity-no-endpoints", endpoints: [], service: affinity },
  { name: "zone-hints", endpoints: [[inZone(a, "zone-1"), inZone(remote, "zone-2")]] },
  { name: "zone-hints-elsewhere", endpoints: [[inZone(a, "zone-2"), inZone(remote, "zone-3")]] },
  { name: "zone-hints-incomplete", endpoints: [[inZone(a, "zone-1"), remote]] },
  { name: "zone-hints-ready-only", endpoints: [[inZone(a, "zone-1"), notReady(b), inZone(remote, "zone-2")]] },
  { name: "node-hints", endpoints: [[onNode(a, "node-1"), onNode(remote, "node-2")]] },
  { name: "node-hints-elsewhere", endpoints: [[onNode(a, "node-3"), onNode(remote, "node-2")]] },
  {
    name: "node-and-zone-hints",
    endpoints: [
      [
        { ...onNode(a, "node-3"), zones: ["zone-2"] },
        { ...onNode(remote, "node-2"), zones: ["zone-1"] },
      ],
    ],
  },
  {
    name: "zone-hints-external-local",
    endpoints: [[inZone(a, "zone-2"), inZone(remote, "zone-1")]],
    type: NodePort,
    service: externalLocal,
  },
  { name: "headless", kind: "headless", endpoints: both },
  { name: "external-name", kind: "ExternalName", endpoints: [] },
  { name: "other-proxy", endpoints: both, type: NodePort, labels: { "service.kubernetes.io/service-proxy-name": "other" } },
  { name: "headless-label", endpoints: both, labels: { "service.kubernetes.io/headless": "" } },
];
