/** Services of many shapes with their EndpointSlices, and which addresses of each are tried from everywhere. */
import type { api } from "@coxswain/client";
import { nodeAddress, type ProbeTarget, places } from "./network.ts";
import { type EndpointSpec, type ShapeSpec, shapeSpecs } from "./shape-specs.ts";

/** A Service as it is created, and what to connect to. */
export interface Shape {
  readonly name: string;
  readonly service: api.coreV1.Service;
  readonly slices: readonly api.discoveryV1.EndpointSlice[];
  readonly targets: Readonly<Record<string, ProbeTarget>>;
  /** Clients stay with one endpoint, whichever it is. */
  readonly hasAffinity: boolean;
}

export const namespace = "shapes";

/** The node under test, and the one where `remote` is. */
export const nodeName = "node-1";
const nodeOf = { a: nodeName, b: nodeName, remote: "node-2" } as const;
export const zone = "zone-1";

/** In this order: the place in the list gives addresses and node ports. */
export const shapes: readonly Shape[] = shapeSpecs.map(shapeOf);

type Family = "ipv4" | "ipv6";

function shapeOf(spec: ShapeSpec, index: number): Shape {
  const { name, service = {}, status = {}, labels = {}, families = ["ipv4", "ipv6"] } = spec;
  const addresses = addressesOf(index);
  const ips = families.map((family) => addresses.cluster[family]);
  const isHeadless = spec.kind === "headless";
  const isExternalName = spec.kind === "ExternalName";
  const type = spec.type ?? "ClusterIP";
  const protocols = spec.protocols ?? ["TCP"];
  const nodePort = 30_000 + index;
  const ports = protocols.map((protocol) => ({
    name: protocol.toLowerCase(),
    protocol,
    port: 80,
    targetPort: 8080,
    ...(type === "ClusterIP" || spec.noNodePorts ? {} : { nodePort }),
  }));
  const { metadata, ...withFamilies } = {
    metadata: { namespace, name, labels },
    ipFamilyPolicy: families.length === 2 ? "RequireDualStack" : "SingleStack",
    ipFamilies: families.map((family) => (family === "ipv4" ? "IPv4" : "IPv6")),
    clusterIP: isHeadless ? "None" : (ips[0] ?? ""),
    clusterIPs: isHeadless ? ["None"] : ips,
  };
  const external = spec.usesExternalIps ? { externalIPs: families.map((family) => addresses.external[family]) } : {};
  const ingress = families.map((family) => ({
    ip: addresses.loadBalancer[family],
    ...(spec.ipMode === undefined ? {} : { ipMode: spec.ipMode }),
  }));
  return {
    name,
    service: {
      metadata,
      spec: isExternalName
        ? { type: "ExternalName", externalName: "example.com" }
        : { type, ...withFamilies, ports, ...external, ...service },
      status: { ...(type === "LoadBalancer" ? { loadBalancer: { ingress } } : {}), ...status },
    } as api.coreV1.Service,
    slices: families.flatMap((family) => slicesOf(spec, family)),
    targets: isHeadless || isExternalName ? {} : targetsOf(spec, families, { addresses, nodePort }),
    hasAffinity: service.sessionAffinity === "ClientIP",
  };
}

function addressesOf(index: number) {
  return {
    cluster: { ipv4: `10.96.1.${index + 1}`, ipv6: `fd00:10:96::${(0x100 + index).toString(16)}` },
    external: { ipv4: `172.30.0.${index + 1}`, ipv6: `fd00:30::${(0x100 + index).toString(16)}` },
    loadBalancer: { ipv4: `172.31.0.${index + 1}`, ipv6: `fd00:31::${(0x100 + index).toString(16)}` },
  };
}

interface Where {
  readonly addresses: ReturnType<typeof addressesOf>;
  readonly nodePort: number;
}

function targetsOf(spec: ShapeSpec, families: readonly Family[], { addresses, nodePort }: Where): Record<string, ProbeTarget> {
  const targets: Record<string, ProbeTarget> = {};
  for (const family of families)
    for (const name of spec.protocols ?? ["TCP"]) {
      const protocol = name === "UDP" ? "udp" : "tcp";
      const add = (what: string, address: string, port: number): void => {
        targets[`${what} ${protocol} ${family}`] = { protocol, address, port };
      };
      add("cluster IP", addresses.cluster[family], 80);
      if (spec.triesOtherPort) add("other port of cluster IP", addresses.cluster[family], 81);
      if (spec.usesExternalIps) add("external IP", addresses.external[family], 80);
      if (spec.type === "LoadBalancer") add("load balancer", addresses.loadBalancer[family], 80);
      if (spec.type !== undefined && spec.type !== "ClusterIP" && !spec.noNodePorts) add("node port", nodeAddress[family], nodePort);
    }
  return targets;
}

/** Each list of endpoints is a slice. */
function slicesOf(
  { name, endpoints, protocols = ["TCP"], portName, labels = {} }: ShapeSpec,
  family: Family,
): api.discoveryV1.EndpointSlice[] {
  return endpoints.map((list, part) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace, name: `${name}-${family}-${part}`, labels: { "kubernetes.io/service-name": name, ...labels } },
    addressType: family === "ipv4" ? "IPv4" : "IPv6",
    ports: protocols.map((protocol) => ({ name: portName ?? protocol.toLowerCase(), protocol, port: list[0]?.port ?? 8080 })),
    endpoints: list.map((endpoint) => endpointOf(endpoint, family)),
  }));
}

function endpointOf({ at, state = "ready", zones, nodes, nodeName: named }: EndpointSpec, family: Family): api.discoveryV1.Endpoint {
  const hints = {
    ...(zones === undefined ? {} : { forZones: zones.map((one) => ({ name: one })) }),
    ...(nodes === undefined ? {} : { forNodes: nodes.map((one) => ({ name: one })) }),
  };
  return {
    addresses: [places[at][family]],
    ...(named === "" ? {} : { nodeName: nodeOf[at] }),
    conditions: {
      ready: state === "ready",
      serving: state === "ready" || state === "serving-terminating",
      terminating: state === "serving-terminating" || state === "terminating",
    },
    ...(zones === undefined && nodes === undefined ? {} : { hints }),
  };
}
