/** What the EndpointSlices of a Service should say: its Pods as endpoints, in groups that have the same ports. */
import type { coreV1, discoveryV1 } from "@coxswain/api";
import { formatIp, parseIp } from "@coxswain/machinery";
import { isPodReady, type Pod } from "../pods/pod-state.ts";
import { findPort } from "../service-pods/find-port.ts";
import { goStruct, goValue, inGoOrder } from "../service-pods/go-order.ts";
import { hasAddress, hostnameIn, type Service } from "../service-pods/membership.ts";

export type AddressType = "IPv4" | "IPv6";
export type Endpoint = discoveryV1.Endpoint;
export type EndpointPort = discoveryV1.EndpointPort;

export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Both for a headless Service to which an old server gave no families. */
export function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family): family is AddressType => family === "IPv4" || family === "IPv6");
  if (families.length > 0) return families;
  if (!hasClusterIp(spec)) return ["IPv4", "IPv6"];
  return [parseIp(spec?.clusterIP ?? "")?.family === 6 ? "IPv6" : "IPv4"];
}

export const hasClusterIp = (spec: Service["spec"]): boolean => (spec?.clusterIP ?? "") !== "" && spec?.clusterIP !== "None";

export interface ServiceWithPods {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly nodeNamed: (name: string) => coreV1.Node | undefined;
}

/** By what identifies a set of ports. A group may be empty: its Pods have no address of this type. */
export function desiredGroups({ service, pods, nodeNamed }: ServiceWithPods, addressType: AddressType): Map<string, PortGroup> {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!hasAddress(pod, { terminating: true })) continue;
    const ports = endpointPorts(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const node = nodeNamed(pod.spec?.nodeName ?? "");
    // The Pod is deleted with its node; until then it is not reachable, unless the Service publishes addresses that are not ready.
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) continue;
    const endpoint = endpointOf(service, pod, node, addressType);
    if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
  }
  return groups;
}

export function endpointOf(service: Service, pod: Pod, node: coreV1.Node | undefined, addressType: AddressType): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata ?? {};
  const nodeName = pod.spec?.nodeName ?? "";
  const zone = node?.metadata?.labels?.["topology.kubernetes.io/zone"] ?? "";
  const hostname = hostnameIn(service, pod);
  return {
    addresses: addressesOf(pod, addressType),
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: "Pod", ...(namespace && { namespace }), ...(name && { name }), ...(uid && { uid }) },
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === "" ? {} : { zone }),
  };
}

function addressesOf({ status }: Pod, addressType: AddressType): string[] {
  const parsed = (status?.podIPs ?? []).flatMap(({ ip }) => parseIp(ip ?? "") ?? []);
  return parsed.filter(({ family }) => `IPv${family}` === addressType).map(formatIp);
}

function endpointPorts({ spec }: Service, pod: Pod): EndpointPort[] {
  const ports = (spec?.ports ?? []).flatMap((servicePort): EndpointPort[] => {
    const port = findPort(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
  return inGoOrder(ports, printPort);
}

export const printPort = ({ name, port, protocol, appProtocol }: EndpointPort): string =>
  goStruct("v1.EndpointPort", {
    Name: goValue("*string", name),
    Protocol: goValue("*v1.Protocol", protocol),
    Port: goValue("*int32", port),
    AppProtocol: goValue("*string", appProtocol),
  });

/** The same for the same ports in any order. */
export const portsKey = (ports: readonly EndpointPort[] | null | undefined): string =>
  JSON.stringify((ports ?? []).map(({ name, port, protocol, appProtocol }) => JSON.stringify([name, port, protocol, appProtocol])).sort());
