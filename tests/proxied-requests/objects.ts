/** Pods, Services and Nodes that requests are passed on to: addresses of a namespace of the tests' own, where `backends` listen. */
import type { BackendAddress } from "./backend.ts";

export const namespace = "proxied";

/** Who has them answers; nobody listens at `silent`, and no route leads to `unrouted`. */
export const addresses = { own: "10.0.0.1", web: "10.0.0.2", silent: "10.0.0.3", web6: "fd00::2", unrouted: "10.99.0.1" } as const;

export const backends: readonly BackendAddress[] = [addresses.web, addresses.web6].flatMap((host) => [
  { host, port: 8080, secure: false },
  { host, port: 80, secure: false },
  { host, port: 8443, secure: true },
  { host, port: 443, secure: true },
]);

/** An object, and the status that is put over its own once it is there. */
export interface Given {
  readonly path: string;
  readonly object: Readonly<Record<string, unknown>> & {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  };
  readonly status?: object;
}

interface PortSpec {
  readonly name?: string;
  readonly containerPort: number;
}

const core = (resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;

function pod(name: string, podIPs: readonly string[], ...containers: readonly (readonly PortSpec[])[]): Given {
  const spec = { containers: (containers.length > 0 ? containers : [[]]).map((ports, at) => ({ name: `c${at}`, image: "none", ports })) };
  const [podIP] = podIPs;
  const status = podIP === undefined ? { phase: "Pending" } : { phase: "Running", podIP, podIPs: podIPs.map((ip) => ({ ip })) };
  return { path: core("pods"), object: { apiVersion: "v1", kind: "Pod", metadata: { name }, spec }, status };
}

const http: PortSpec = { name: "http", containerPort: 8080 };
const https: PortSpec = { name: "https", containerPort: 8443 };

const pods: readonly Given[] = [
  pod("web", [addresses.web], [http, https]),
  pod("no-port", [addresses.web]),
  pod("second", [addresses.web], [], [http]),
  pod("pending", [], [http]),
  pod("loopback", ["127.0.0.1"], [http]),
  pod("link-local", ["169.254.1.1"], [http]),
  pod("six", [addresses.web6], [http]),
  pod("six-no-port", [addresses.web6]),
  pod("dual", [addresses.web, addresses.web6], [http]),
  pod("silent", [addresses.silent], [http]),
  pod("unrouted", [addresses.unrouted], [http]),
];

interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly protocol?: string;
}

const service = (name: string, ports: readonly ServicePort[], more: object = {}): Given => ({
  path: core("services"),
  object: { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports, ...more } },
});

const podRef = (name: string, of = namespace): object => ({ kind: "Pod", namespace: of, name });

const endpoints = (name: string, ...subsets: readonly object[]): Given => ({
  path: core("endpoints"),
  object: { apiVersion: "v1", kind: "Endpoints", metadata: { name }, subsets },
});

const slice = (service: string, addressType: string, address: string, ports: readonly object[]): Given => ({
  path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
  object: {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${service}-1`, labels: { "kubernetes.io/service-name": service } },
    addressType,
    ports,
    endpoints: [{ addresses: [address], conditions: { ready: true }, targetRef: podRef("web") }],
  },
});

const web = { ip: addresses.web, targetRef: podRef("web") };
const both = [
  { name: "http", port: 8080 },
  { name: "https", port: 8443 },
];
const twoPorts: readonly ServicePort[] = [
  { name: "http", port: 80, targetPort: 8080 },
  { name: "https", port: 443, targetPort: 8443 },
];
const onePort: readonly ServicePort[] = [{ port: 80, targetPort: 8080 }];
const unnamed = [{ port: 8080 }];

const services: readonly Given[] = [
  service("web", twoPorts),
  endpoints("web", { addresses: [web], ports: both }),
  service("single", onePort),
  endpoints("single", { addresses: [web], ports: unnamed }),
  service("single-named", [{ name: "http", port: 80, targetPort: "http" }]),
  endpoints("single-named", { addresses: [web], ports: [{ name: "http", port: 8080 }] }),
  service("no-endpoints", onePort),
  service("empty", onePort),
  endpoints("empty"),
  service("not-ready", onePort),
  endpoints("not-ready", { notReadyAddresses: [web], ports: unnamed }),
  service("no-reference", onePort),
  endpoints("no-reference", { addresses: [{ ip: addresses.web }], ports: unnamed }),
  service("other-namespace", onePort),
  endpoints("other-namespace", { addresses: [{ ip: addresses.web, targetRef: podRef("web", "default") }], ports: unnamed }),
  service("no-pod", onePort),
  endpoints("no-pod", { addresses: [{ ip: addresses.web, targetRef: podRef("gone") }], ports: unnamed }),
  service("another-address", onePort),
  endpoints("another-address", { addresses: [{ ip: addresses.silent, targetRef: podRef("web") }], ports: unnamed }),
  service("node-reference", onePort),
  endpoints("node-reference", { addresses: [{ ip: addresses.web, targetRef: { kind: "Node", name: "web", namespace } }], ports: unnamed }),
  service("slice-only", onePort),
  slice("slice-only", "IPv4", addresses.web, [{ name: "", port: 8080 }]),
  service("slice-differs", onePort),
  endpoints("slice-differs", { addresses: [web], ports: unnamed }),
  slice("slice-differs", "IPv4", addresses.silent, [{ name: "", port: 8080 }]),
  service("headless", onePort, { clusterIP: "None" }),
  endpoints("headless", { addresses: [web], ports: unnamed }),
  service("headless-no-ports", [], { clusterIP: "None" }),
  endpoints("headless-no-ports", { addresses: [web] }),
  service("external", onePort, { type: "ExternalName", externalName: "other.test" }),
  service("external-endpoints", onePort, { type: "ExternalName", externalName: "other.test" }),
  endpoints("external-endpoints", { addresses: [web], ports: unnamed }),
  endpoints("no-service", { addresses: [web], ports: [{ name: "http", port: 8080 }] }),
  service("two-subsets", twoPorts),
  endpoints(
    "two-subsets",
    { addresses: [web], ports: [{ name: "http", port: 8080 }] },
    { addresses: [web], ports: [{ name: "https", port: 8443 }] },
  ),
  service("two-protocols", [
    { name: "udp", port: 80, targetPort: 8443, protocol: "UDP" },
    { name: "tcp", port: 80, targetPort: 8080 },
  ]),
  endpoints("two-protocols", {
    addresses: [web],
    ports: [
      { name: "udp", port: 8443, protocol: "UDP" },
      { name: "tcp", port: 8080 },
    ],
  }),
  service("silent", onePort),
  endpoints("silent", { addresses: [{ ip: addresses.silent, targetRef: podRef("silent") }], ports: unnamed }),
  service("dual", onePort),
  endpoints("dual", { addresses: [{ ip: addresses.web6, targetRef: podRef("dual") }], ports: unnamed }),
];

const node = (name: string, type: string, address: string, port?: number): Given => ({
  path: "/api/v1/nodes",
  object: { apiVersion: "v1", kind: "Node", metadata: { name } },
  status: {
    addresses: address === "" ? [] : [{ type, address }],
    ...(port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } }),
  },
});

const nodes: readonly Given[] = [
  node("web", "InternalIP", addresses.web, 8443),
  node("default-port", "InternalIP", addresses.web),
  node("silent", "InternalIP", addresses.silent, 8443),
  node("no-address", "InternalIP", ""),
  node("loopback", "InternalIP", "127.0.0.1", 8443),
  node("link-local", "InternalIP", "169.254.1.1", 8443),
];

export const objects: readonly Given[] = [...pods, ...services, ...nodes];
