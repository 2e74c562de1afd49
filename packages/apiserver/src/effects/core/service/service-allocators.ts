/** Which cluster IPs and node ports are in use: by what is stored, and by writes that are under way. */
import { ipFamilyOf, type networkingV1, type ServiceIpFamily } from "@coxswain/api";
import type { KubeObject, RandomSource } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ObjectReader } from "../../../storage/object-reader.ts";
import { type AllocationOperation, type AllocationRequest, DryRunOperation, StoredOperation } from "./allocation-operation.ts";
import { NodePortAllocator } from "./node-port-allocator.ts";
import { ServiceCidrs } from "./service-cidrs.ts";
import { ipManagedBy, ipManager, nameOfIp, ServiceIPAllocator } from "./service-ip-allocator.ts";

export interface AllocatorServices extends ObjectReader {
  readonly random: RandomSource;
  /** Of the cluster; the first is the default. */
  readonly serviceIpFamilies: readonly ServiceIpFamily[];
}

export class ServiceAllocators {
  readonly families: readonly ServiceIpFamily[];
  readonly #cidrs = new ServiceCidrs();
  readonly #ips: ReadonlyMap<ServiceIpFamily, ServiceIPAllocator>;
  readonly #ports: NodePortAllocator;

  constructor(families: readonly ServiceIpFamily[], random: RandomSource) {
    this.families = families;
    this.#ips = new Map(families.map((family) => [family, new ServiceIPAllocator(family, this.#cidrs, random)]));
    this.#ports = new NodePortAllocator(random);
  }

  /** Reads what is stored and follows it from then on. */
  static async load({ random, serviceIpFamilies, ...reader }: AllocatorServices): Promise<ServiceAllocators> {
    const { served, cache } = reader;
    const allocators = new ServiceAllocators(serviceIpFamilies, random);
    const follow = (resource: readonly [group: string, name: string], on: OnEvent): Promise<void> =>
      followPrefix(reader, served.find(resource[0], "v1", resource[1])?.prefix, on);
    await follow(["networking.k8s.io", "servicecidrs"], (event) => allocators.#followCidr(event, reader));
    await follow(["", "services"], ({ entry, previous }) => {
      if (previous !== undefined) allocators.#release(previous.key, cache.objectOf(previous));
      if (entry !== undefined) allocators.#store(entry.key, cache.objectOf(entry));
    });
    await follow(["networking.k8s.io", "ipaddresses"], (event) => allocators.#followAddress(event, reader));
    return allocators;
  }

  /** For a create, what is stored under the key is another Service, which may be about to go: its values are not for this one. */
  begin({ key, operation, dryRun }: AllocationRequest): AllocationOperation {
    const allocators = { ips: this.#ips, ports: this.#ports, owner: operation === "update" ? key : undefined };
    return dryRun ? new DryRunOperation(allocators) : new StoredOperation(allocators);
  }

  #followCidr({ entry, name }: Followed, { cache }: ObjectReader): void {
    if (entry === undefined) this.#cidrs.remove(name);
    else this.#cidrs.put(cache.objectOf(entry) as networkingV1.ServiceCIDR);
  }

  /** Addresses whose IPAddress is not of a Service's making: of a Gateway, for example. */
  #followAddress({ key, name, entry }: Followed, { cache }: ObjectReader): void {
    const values = this.#valuesOf(name);
    if (entry === undefined || cache.labelsOf(entry)[ipManagedBy] === ipManager) values?.release(name, key);
    else values?.reserve(name, key);
  }

  #store(key: string, service: Readonly<KubeObject>): void {
    for (const ip of ipsOf(service)) this.#valuesOf(ip)?.store(nameOfIp(ip), key);
    for (const port of portsOf(service)) this.#ports.values.store(String(port), key);
  }

  #release(key: string, service: Readonly<KubeObject>): void {
    for (const ip of ipsOf(service)) this.#valuesOf(ip)?.release(nameOfIp(ip), key);
    for (const port of portsOf(service)) this.#ports.values.release(String(port), key);
  }

  /** Undefined where the cluster does not have the family. */
  #valuesOf(ip: string) {
    const family = ipFamilyOf(ip);
    return family === undefined ? undefined : this.#ips.get(family)?.values;
  }
}

interface Followed {
  readonly key: string;
  readonly name: string;
  /** Undefined: it is gone. */
  readonly entry: Entry | undefined;
  readonly previous: Entry | undefined;
}

type OnEvent = (event: Followed) => void;

async function followPrefix({ store }: ObjectReader, prefix: string | undefined, on: OnEvent): Promise<void> {
  if (prefix === undefined) return;
  const { entries, revision } = await store.list(prefix);
  for (const entry of entries) on({ key: entry.key, name: entry.key.slice(prefix.length), entry, previous: undefined });
  store.subscribe(prefix, { after: revision }, ({ events }) => {
    for (const event of events) on(followed(event, prefix));
  });
}

function followed(event: StoreEvent, prefix: string): Followed {
  const { previous } = event;
  const key = event.type === "put" ? event.entry.key : event.key;
  return { key, name: key.slice(prefix.length), entry: event.type === "put" ? event.entry : undefined, previous };
}

interface Addressed {
  readonly clusterIPs?: readonly string[];
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
  readonly healthCheckNodePort?: number;
}

function ipsOf({ spec }: Readonly<KubeObject>): readonly string[] {
  const { clusterIPs, clusterIP } = (spec ?? {}) as Addressed;
  return (clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP])).filter((ip) => ip !== "" && ip !== "None");
}

function portsOf({ spec }: Readonly<KubeObject>): readonly number[] {
  const { ports = [], healthCheckNodePort = 0 } = (spec ?? {}) as Addressed;
  return [...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter((port) => port !== 0);
}
