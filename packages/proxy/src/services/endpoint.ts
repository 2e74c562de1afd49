/** Endpoints of a Service, gathered from its EndpointSlices. */
import type { api } from "@coxswain/client";
import type { IpFamily } from "../contracts/ip-family.ts";
import { canonicalIp, type Protocol, protocolOf } from "./service-port.ts";

/** An address and a port where a Service is served. */
export interface Endpoint {
  readonly ip: string;
  readonly port: number;
  /** It is on this node. */
  readonly isLocal: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** For which zones and nodes the controller means it; empty: not said. */
  readonly zoneHints: ReadonlySet<string>;
  readonly nodeHints: ReadonlySet<string>;
}

/** The endpoints of the ports of a Service, by `endpointKey`. */
export type Endpoints = ReadonlyMap<string, readonly Endpoint[]>;

/** What a port of a Service and one of its EndpointSlices have in common. */
export const endpointKey = ({ portName, protocol }: { readonly portName: string; readonly protocol: Protocol }): string =>
  `${protocol}/${portName}`;

/** Sorted, so that equal slices have equal rules in whichever order they came. */
export function endpointsOf(slices: Iterable<api.discoveryV1.EndpointSlice>, family: IpFamily, nodeName: string): Endpoints {
  const found = new Map<string, Map<string, Endpoint>>();
  const byName = [...slices].sort((a, b) => compareText(a.metadata?.name ?? "", b.metadata?.name ?? ""));
  for (const { addressType, ports, endpoints } of byName) {
    if (addressType !== family) continue;
    for (const { name = "", protocol, port } of ports ?? []) {
      const known = protocolOf(protocol);
      if (known === undefined || port === undefined || port === 0) continue;
      const key = endpointKey({ portName: name, protocol: known });
      const ofPort = found.get(key) ?? new Map<string, Endpoint>();
      found.set(key, ofPort);
      for (const one of endpoints ?? []) add(ofPort, endpointOf(one, port, nodeName));
    }
  }
  return new Map([...found].map(([key, ofPort]) => [key, [...ofPort].sort(([a], [b]) => compareText(a, b)).map(([, one]) => one)]));
}

/** How many addresses on this node serve any of the ports: what a load balancer's health check asks for. */
export function localReadyAddresses(endpoints: Endpoints): number {
  const ips = new Set<string>();
  for (const list of endpoints.values()) for (const { ip, isLocal, ready } of list) if (isLocal && ready) ips.add(ip);
  return ips.size;
}

/** An address may stand in two slices while it moves, or belong to a Pod that ends and to the next one: the one that stays counts. */
function add(ofPort: Map<string, Endpoint>, endpoint: Endpoint | undefined): void {
  if (endpoint === undefined) return;
  const key = `${endpoint.ip} ${endpoint.port}`;
  if (!ofPort.has(key) || !endpoint.terminating) ofPort.set(key, endpoint);
}

/** Its first address alone counts, as the API says of EndpointSlices. */
function endpointOf(endpoint: api.discoveryV1.Endpoint, port: number, nodeName: string): Endpoint | undefined {
  const { conditions, hints } = endpoint;
  const [address] = endpoint.addresses;
  if (address === undefined) return undefined;
  return {
    ip: canonicalIp(address),
    port,
    isLocal: nodeName !== "" && endpoint.nodeName === nodeName,
    ready: conditions?.ready ?? true,
    serving: conditions?.serving ?? true,
    terminating: conditions?.terminating ?? false,
    zoneHints: new Set((hints?.forZones ?? []).map(({ name }) => name)),
    nodeHints: new Set((hints?.forNodes ?? []).map(({ name }) => name)),
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
