/** What is asked for by name and by address, kept from Services, EndpointSlices, namespaces and Pods, one change at a time. */
import type { api } from "@coxswain/client";
import { addressBytes, canonicalAddress } from "../message/records.ts";

/** A port that says where, and for what it can be asked. */
export interface NamedPort {
  readonly name: string;
  /** In lower case. */
  readonly protocol: string;
  /** Undefined where there is none: such a place has addresses, and no SRV records. */
  readonly port: number | undefined;
}

/** An IP address as text and as bytes. */
export interface HostAddress {
  /** In its one form. */
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface EndpointAddress extends HostAddress {
  /** The first label of its name: its hostname, or made of its address. */
  readonly hostname: string;
}

export interface EndpointSet {
  readonly addresses: readonly EndpointAddress[];
  readonly ports: readonly NamedPort[];
}

export interface ServiceFacts {
  readonly namespace: string;
  readonly name: string;
  readonly kind:
    | { readonly type: "cluster"; readonly addresses: readonly HostAddress[]; readonly ports: readonly NamedPort[] }
    | { readonly type: "headless" }
    | { readonly type: "external"; readonly target: string };
}

/** An address of a Service, by the names that it is part of. */
export interface NamedEndpoint {
  readonly namespace: string;
  readonly service: string;
  readonly hostname: string;
}

interface Entry {
  service: ServiceFacts | undefined;
  /** By the name of the slice. */
  readonly slices: Map<string, EndpointSet>;
}

const noPorts: readonly NamedPort[] = [{ name: "", protocol: "", port: undefined }];
const serviceNameLabel = "kubernetes.io/service-name";

/** An index of a cluster; all of its methods take time by what changes or is asked, not by what is there. */
export class ServiceIndex {
  readonly #entries = new Map<string, Entry>();
  /** Services by their cluster addresses. */
  readonly #services = new Map<string, Map<string, ServiceFacts>>();
  /** Endpoints by their addresses, each by its slice. */
  readonly #endpoints = new Map<string, Map<string, NamedEndpoint>>();
  /** Of which Service a slice is: it may become another's. */
  readonly #sliceOwners = new Map<string, string>();
  readonly #namespaces = new Set<string>();
  /** Keys of Pods by address. */
  readonly #pods = new Map<string, Map<string, string>>();
  #serial = 0;

  /** Changes with everything that it has been told; for SOA records. */
  get serial(): number {
    return this.#serial;
  }

  hasNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  service(namespace: string, name: string): ServiceFacts | undefined {
    return this.#entries.get(keyOf(namespace, name))?.service;
  }

  /** Those that take connections, of all slices of the Service. */
  endpoints(namespace: string, name: string): Iterable<EndpointSet> {
    return this.#entries.get(keyOf(namespace, name))?.slices.values() ?? [];
  }

  /** Services with this cluster address, in its one form. */
  servicesAt(address: string): Iterable<ServiceFacts> {
    return this.#services.get(address)?.values() ?? [];
  }

  endpointsAt(address: string): Iterable<NamedEndpoint> {
    return this.#endpoints.get(address)?.values() ?? [];
  }

  hasPod(namespace: string, address: string): boolean {
    for (const other of this.#pods.get(address)?.values() ?? []) if (other === namespace) return true;
    return false;
  }

  setNamespace(name: string, exists: boolean): void {
    this.#serial++;
    if (exists) this.#namespaces.add(name);
    else this.#namespaces.delete(name);
  }

  setService({ metadata, spec }: api.coreV1.Service): void {
    const { namespace = "", name = "" } = metadata ?? {};
    this.deleteService(namespace, name);
    const facts: ServiceFacts = { namespace, name, kind: kindOf(spec ?? {}) };
    const key = keyOf(namespace, name);
    this.#entry(key).service = facts;
    if (facts.kind.type === "cluster") for (const { text } of facts.kind.addresses) put(this.#services, text, key, facts);
  }

  deleteService(namespace: string, name: string): void {
    this.#serial++;
    const key = keyOf(namespace, name);
    const entry = this.#entries.get(key);
    if (entry?.service === undefined) return;
    const { kind } = entry.service;
    if (kind.type === "cluster") for (const { text } of kind.addresses) take(this.#services, text, key);
    entry.service = undefined;
    this.#dropIfEmpty(key, entry);
  }

  setEndpointSlice(slice: api.discoveryV1.EndpointSlice): void {
    const { namespace = "", name = "", labels = {} } = slice.metadata ?? {};
    this.deleteEndpointSlice(namespace, name);
    const service = labels[serviceNameLabel] ?? "";
    if (service === "") return;
    const set = endpointSetOf(slice);
    const key = keyOf(namespace, service);
    const sliceKey = keyOf(namespace, name);
    this.#entry(key).slices.set(name, set);
    this.#sliceOwners.set(sliceKey, service);
    for (const { text, hostname } of set.addresses) put(this.#endpoints, text, `${sliceKey}/${hostname}`, { namespace, service, hostname });
  }

  deleteEndpointSlice(namespace: string, name: string): void {
    this.#serial++;
    const sliceKey = keyOf(namespace, name);
    const service = this.#sliceOwners.get(sliceKey);
    if (service === undefined) return;
    this.#sliceOwners.delete(sliceKey);
    const key = keyOf(namespace, service);
    const entry = this.#entry(key);
    for (const { text, hostname } of entry.slices.get(name)?.addresses ?? []) take(this.#endpoints, text, `${sliceKey}/${hostname}`);
    entry.slices.delete(name);
    this.#dropIfEmpty(key, entry);
  }

  /** `addresses` are those that it has now, `previous` those that it had. */
  setPod(namespace: string, name: string, addresses: readonly string[], previous: readonly string[]): void {
    this.#serial++;
    const key = keyOf(namespace, name);
    for (const text of previous) take(this.#pods, canonicalAddress(text) ?? "", key);
    for (const text of addresses) {
      const canonical = canonicalAddress(text);
      if (canonical !== undefined) put(this.#pods, canonical, key, namespace);
    }
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { service: undefined, slices: new Map() };
    this.#entries.set(key, entry);
    return entry;
  }

  #dropIfEmpty(key: string, { service, slices }: Entry): void {
    if (service === undefined && slices.size === 0) this.#entries.delete(key);
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

function put<T>(map: Map<string, Map<string, T>>, at: string, key: string, value: T): void {
  const there = map.get(at);
  if (there === undefined) map.set(at, new Map([[key, value]]));
  else there.set(key, value);
}

function take<T>(map: Map<string, Map<string, T>>, at: string, key: string): void {
  const there = map.get(at);
  if (there?.delete(key) === true && there.size === 0) map.delete(at);
}

function kindOf({ type, externalName, clusterIP, clusterIPs, ports = [] }: api.coreV1.ServiceSpec): ServiceFacts["kind"] {
  if (type === "ExternalName") return { type: "external", target: externalName ?? "" };
  const addresses = clusterIPs !== undefined && clusterIPs.length > 0 ? clusterIPs : [clusterIP ?? ""];
  if (addresses[0] === "None") return { type: "headless" };
  const named = ports.map(({ name = "", protocol = "TCP", port }) => ({ name, protocol: protocol.toLowerCase(), port }));
  return { type: "cluster", addresses: addresses.flatMap(hostAddress), ports: named.length === 0 ? noPorts : named };
}

const hostAddress = (text: string): HostAddress[] => {
  const canonical = canonicalAddress(text);
  const bytes = addressBytes(text);
  return canonical === undefined || bytes === undefined ? [] : [{ text: canonical, bytes }];
};

/** Whatever publishes addresses that are not ready has marked them as ready. An unknown state counts as ready. */
function endpointSetOf({ endpoints, ports }: api.discoveryV1.EndpointSlice): EndpointSet {
  // A list without entries may be null, as others write it.
  const addresses = (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses, hostname = "" }) =>
      (addresses ?? [])
        .flatMap(hostAddress)
        .map((address) => ({ ...address, hostname: hostname === "" ? dashed(address.text) : hostname })),
    );
  const named = (ports ?? []).map(({ name = "", protocol = "TCP", port }) => ({ name, protocol: protocol.toLowerCase(), port }));
  return { addresses, ports: named.length === 0 ? noPorts : named };
}

/** The name of an endpoint without one, as CoreDNS makes it: a label must not end with a dash. */
function dashed(address: string): string {
  const name = address.replaceAll(/[.:]/g, "-");
  return name.endsWith("-") ? `${name}0` : name;
}
