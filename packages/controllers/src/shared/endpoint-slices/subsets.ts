/** What Endpoints say of a Service's Pods: those with the same ports together, in an order that is always the same. */
import type { coreV1 } from "@coxswain/api";
import { parseIp } from "@coxswain/machinery";
import { isPodReady, type Pod } from "../pods/pod-state.ts";
import { findPort } from "../service-pods/find-port.ts";
import { goSlice, goStruct, goValue, inGoOrder } from "../service-pods/go-order.ts";
import { hasAddress, hostnameIn, type Service } from "../service-pods/membership.ts";

export type Endpoints = coreV1.Endpoints;
export type Subset = coreV1.EndpointSubset;
type Address = coreV1.EndpointAddress;
type Port = coreV1.EndpointPort;

interface ReadyAddress {
  readonly address: Address;
  readonly ready: boolean;
}

export function subsetsOf(service: Service, pods: readonly Pod[]): Subset[] {
  const { publishNotReadyAddresses = false, ports = [], clusterIP } = service.spec ?? {};
  const portless = ports.length === 0 && clusterIP === "None";
  const byPort = new Map<string, { readonly port: Port | undefined; readonly addresses: ReadyAddress[] }>();
  for (const pod of pods) {
    const address = addressOf(service, pod, publishNotReadyAddresses);
    if (address === undefined) continue;
    const addresses = { address, ready: publishNotReadyAddresses || isPodReady(pod) };
    for (const port of portless ? [undefined] : portsOf(pod, ports)) {
      const key = portKey(port);
      const entry = byPort.get(key) ?? { port, addresses: [] };
      byPort.set(key, entry);
      entry.addresses.push(addresses);
    }
  }
  return inGoOrder(grouped([...byPort.values()]), printSubset);
}

/** Of Endpoints that a client has written: each address once for each port, and not ready if it is so anywhere. */
export function repacked(subsets: readonly Subset[]): Subset[] {
  const byPort = new Map<string, { readonly port: Port | undefined; readonly addresses: Map<string, ReadyAddress> }>();
  for (const { addresses = [], notReadyAddresses = [], ports } of subsets) {
    for (const port of ports === undefined || ports.length === 0 ? [undefined] : ports) {
      const entry = byPort.get(portKey(port)) ?? { port, addresses: new Map() };
      byPort.set(portKey(port), entry);
      for (const address of addresses)
        if (!entry.addresses.has(addressKey(address))) entry.addresses.set(addressKey(address), { address, ready: true });
      for (const address of notReadyAddresses) {
        const known = entry.addresses.get(addressKey(address));
        entry.addresses.set(addressKey(address), { address: known?.address ?? address, ready: false });
      }
    }
  }
  const all = Array.from(byPort.values(), ({ port, addresses }) => ({ port, addresses: [...addresses.values()] }));
  return inGoOrder(grouped(all), printSubset);
}

const portKey = (port: Port | undefined): string => JSON.stringify([port?.name, port?.port, port?.protocol, port?.appProtocol]);

const addressKey = ({ ip, targetRef }: Address): string => JSON.stringify([ip, targetRef?.uid ?? ""]);

/** Undefined for a Pod without an address of the Service's first family. */
function addressOf(service: Service, pod: Pod, publishNotReadyAddresses: boolean): Address | undefined {
  if (!hasAddress(pod, { terminating: publishNotReadyAddresses })) return undefined;
  const { metadata, spec, status } = pod;
  const family = familyOf(service, pod);
  const ip = status?.podIPs?.find((one) => (parseIp(one.ip)?.family === 6) === (family === 6))?.ip ?? "";
  if (ip === "") return undefined;
  const { namespace, name, uid } = metadata ?? {};
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname && { hostname }),
    nodeName: spec?.nodeName ?? "",
    targetRef: { kind: "Pod", ...(namespace && { namespace }), ...(name && { name }), ...(uid && { uid }) },
  };
}

function familyOf({ spec }: Service, { status }: Pod): 4 | 6 {
  const [first] = spec?.ipFamilies ?? [];
  if (first !== undefined) return first === "IPv6" ? 6 : 4;
  const { clusterIP = "" } = spec ?? {};
  const own = clusterIP === "" || clusterIP === "None" ? status?.podIP : clusterIP;
  return parseIp(own ?? "")?.family === 6 ? 6 : 4;
}

function portsOf(pod: Pod, ports: readonly coreV1.ServicePort[]): Port[] {
  return ports.flatMap((servicePort) => {
    const port = findPort(pod, servicePort);
    const { name, protocol = "TCP", appProtocol } = servicePort;
    return port === undefined ? [] : [{ ...(name && { name }), port, protocol, ...(appProtocol && { appProtocol }) }];
  });
}

/** Ports that the same addresses have stand together. */
function grouped(all: readonly { readonly port: Port | undefined; readonly addresses: readonly ReadyAddress[] }[]): Subset[] {
  const groups = new Map<string, { readonly addresses: readonly ReadyAddress[]; readonly ports: Port[] }>();
  for (const { port, addresses } of all) {
    const key = JSON.stringify(addresses.map(({ address }) => addressKey(address)).sort());
    const group = groups.get(key) ?? { addresses, ports: [] };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  return Array.from(groups.values(), ({ addresses, ports }) => {
    const ready = sorted(addresses.filter((one) => one.ready));
    const notReady = sorted(addresses.filter((one) => !one.ready));
    return {
      ...(ready.length > 0 && { addresses: ready }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady }),
      ...(ports.length > 0 && { ports: inGoOrder(ports, printSubsetPort) }),
    };
  });
}

const sorted = (addresses: readonly ReadyAddress[]): Address[] =>
  addresses.map(({ address }) => address).sort((a, b) => compare(a.ip, b.ip) || compare(a.targetRef?.uid ?? "", b.targetRef?.uid ?? ""));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const printSubsetPort = ({ name = "", port, protocol, appProtocol }: Port): string =>
  goStruct("v1.EndpointPort", {
    Name: goValue("string", name),
    Port: goValue("int32", port),
    Protocol: goValue("v1.Protocol", protocol),
    AppProtocol: goValue("*string", appProtocol),
  });

const printSubset = ({ addresses = [], notReadyAddresses = [], ports = [] }: Subset): string =>
  goStruct("v1.EndpointSubset", {
    Addresses: goSlice("v1.EndpointAddress", addresses.map(printAddress)),
    NotReadyAddresses: goSlice("v1.EndpointAddress", notReadyAddresses.map(printAddress)),
    Ports: goSlice("v1.EndpointPort", ports.map(printSubsetPort)),
  });

const printAddress = ({ ip, hostname = "", nodeName, targetRef: { namespace = "", name = "", uid = "" } = {} }: Address): string =>
  goStruct("v1.EndpointAddress", {
    IP: goValue("string", ip),
    Hostname: goValue("string", hostname),
    NodeName: goValue("*string", nodeName),
    TargetRef: `(*v1.ObjectReference)${goStruct("", {
      Kind: goValue("string", "Pod"),
      Namespace: goValue("string", namespace),
      Name: goValue("string", name),
      UID: goValue("types.UID", uid),
      APIVersion: goValue("string", ""),
      ResourceVersion: goValue("string", ""),
      FieldPath: goValue("string", ""),
    }).slice(2)}`,
  });
