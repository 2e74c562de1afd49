/**
 * Which cluster IPs and node ports are in use: by what is stored, of this server or another, and by writes that are under way here. What
 * a write takes or frees is stored with it.
 */
import { ipFamilyOf, type networkingV1, type ServiceIpFamily } from "@coxswain/api";
import { internalError, type KubeObject } from "@coxswain/machinery";
import type { Entry, Replacement, StoreEvent } from "@coxswain/store";
import { includesPort, type PortRange, portRangeText } from "../../../configuration/port-range.ts";
import { ReservationLost } from "../../../contracts/admission.ts";
import type { ObjectReader } from "../../../storage/object-reader.ts";
import { type AllocationOperation, type AllocationRequest, DryRunOperation, StoredOperation } from "./allocation-operation.ts";
import { type IpAddressServices, isAddressOf, newIpAddress, type ServiceName } from "./ip-address.ts";
import { NodePortAllocator } from "./node-port-allocator.ts";
import { nodePortsKey, PortBitmap } from "./port-bitmap.ts";
import { ServiceCidrs } from "./service-cidrs.ts";
import { ServiceIPAllocator } from "./service-ip-allocator.ts";
import { ipsOf, portsOf } from "./service-values.ts";

export interface AllocatorServices extends ObjectReader, IpAddressServices {
  /** Of the cluster; the first is the default. */
  readonly serviceIpFamilies: readonly ServiceIpFamily[];
  readonly serviceNodePorts: PortRange;
}

/** One write of a Service. */
export interface ServiceChange extends ServiceName {
  /** Of the Service in the store. */
  readonly key: string;
  /** Undefined where it is created, or deleted. */
  readonly before: Readonly<KubeObject> | undefined;
  readonly after: Readonly<KubeObject> | undefined;
}

export class ServiceAllocators {
  readonly families: readonly ServiceIpFamily[];
  readonly #services: AllocatorServices;
  readonly #cidrs = new ServiceCidrs();
  readonly #ips: ReadonlyMap<ServiceIpFamily, ServiceIPAllocator>;
  readonly #ports: NodePortAllocator;
  /** The stored IPAddresses, by their names. */
  readonly #addresses = new Map<string, Entry>();
  /** `ports` is undefined for what is stored but cannot be read. */
  #bitmap: { readonly entry: Entry; readonly ports: PortBitmap | undefined } | undefined;

  constructor(services: AllocatorServices) {
    const { serviceIpFamilies: families, serviceNodePorts: ports, random } = services;
    this.families = families;
    this.#services = services;
    const hasAddress = (ip: string): boolean => this.#addresses.has(ip);
    this.#ips = new Map(families.map((family) => [family, new ServiceIPAllocator(family, this.#cidrs, random, hasAddress)]));
    this.#ports = new NodePortAllocator({ random, ports, isRecorded: (port) => this.#bitmap?.ports?.has(port) === true });
  }

  /** Reads what is stored and follows it from then on. */
  static async load(services: AllocatorServices): Promise<ServiceAllocators> {
    const { served, cache } = services;
    const allocators = new ServiceAllocators(services);
    const follow = (resource: readonly [group: string, name: string], on: OnEvent): Promise<void> =>
      followPrefix(services, served.find(resource[0], "v1", resource[1])?.prefix, on);
    await follow(["networking.k8s.io", "servicecidrs"], (event) => allocators.#followCidr(event));
    await follow(["", "services"], ({ entry, previous }) => {
      if (previous !== undefined) allocators.#release(previous.key, cache.objectOf(previous));
      if (entry !== undefined) allocators.#store(entry.key, cache.objectOf(entry));
    });
    await follow(["networking.k8s.io", "ipaddresses"], ({ name, entry }) => {
      if (entry === undefined) allocators.#addresses.delete(name);
      else allocators.#addresses.set(name, entry);
    });
    await followPrefix(services, nodePortsKey, ({ entry }) => {
      allocators.#bitmap = entry === undefined ? undefined : { entry, ports: PortBitmap.parse(entry.value) };
    });
    return allocators;
  }

  /** For a create, what is stored under the key is another Service, which may be about to go: its values are not for this one. */
  begin({ key, operation, dryRun }: AllocationRequest): AllocationOperation {
    const allocators = { ips: this.#ips, ports: this.#ports, owner: operation === "update" ? key : undefined };
    return dryRun ? new DryRunOperation(allocators) : new StoredOperation(allocators);
  }

  /**
   * What is stored with a Service that was given its values before.
   * @throws ReservationLost when one of them has been taken meanwhile
   */
  changesOf({ key, before, after, ...owner }: ServiceChange): readonly Replacement[] {
    const ips = difference(ipsOf(before), ipsOf(after));
    const ports = difference(portsOf(before), portsOf(after));
    for (const ip of ips.added) if (this.#valuesOf(ip)?.isTaken(ip) ?? this.#addresses.has(ip)) throw new ReservationLost(`${ip} is taken`);
    for (const port of ports.added) if (this.#ports.values.isTaken(String(port))) throw new ReservationLost(`port ${port} is taken`);
    // The bitmap is what writes have in common.
    const bitmap = this.#bitmapChange(key, ports);
    const created = ips.added.map((ip) => newIpAddress(this.#services, ip, owner));
    const deleted = ips.removed.map((ip) => this.#addressDeletion(ip, owner));
    return [bitmap, ...created, ...deleted].filter((one) => one !== undefined);
  }

  /** @throws internalError() where another server has another range */
  #bitmapChange(key: string, { added, removed }: Difference<number>): Replacement | undefined {
    const { values, ports: range } = this.#ports;
    const freed = removed.filter((port) => values.isOwn(String(port), key));
    const current = this.#bitmap?.ports;
    if (!added.some((port) => includesPort(range, port)) && !freed.some((port) => current?.has(port) === true)) return undefined;
    if (current !== undefined && portRangeText(current.range) !== portRangeText(range)) {
      if (added.length === 0) return undefined;
      throw internalError("failed to allocate a nodePort: the provided range does not match the current range");
    }
    const base = current ?? PortBitmap.of(range, [...values.stored()].map(Number));
    return { key: nodePortsKey, value: base.with(added, freed).encode(), expect: this.#bitmap?.entry.modified ?? "absent" };
  }

  #addressDeletion(ip: string, owner: ServiceName): Replacement | undefined {
    const entry = this.#addresses.get(ip);
    if (entry === undefined || !isAddressOf(this.#services.cache.objectOf(entry) as networkingV1.IPAddress, owner)) return undefined;
    return { key: entry.key, expect: entry.modified };
  }

  #followCidr({ entry, name }: Followed): void {
    if (entry === undefined) this.#cidrs.remove(name);
    else this.#cidrs.put(this.#services.cache.objectOf(entry) as networkingV1.ServiceCIDR);
  }

  #store(key: string, service: Readonly<KubeObject>): void {
    for (const ip of ipsOf(service)) this.#valuesOf(ip)?.store(ip, key);
    for (const port of portsOf(service)) this.#ports.values.store(String(port), key);
  }

  #release(key: string, service: Readonly<KubeObject>): void {
    for (const ip of ipsOf(service)) this.#valuesOf(ip)?.release(ip, key);
    for (const port of portsOf(service)) this.#ports.values.release(String(port), key);
  }

  /** Undefined where the cluster does not have the family. */
  #valuesOf(ip: string) {
    const family = ipFamilyOf(ip);
    return family === undefined ? undefined : this.#ips.get(family)?.values;
  }
}

interface Difference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

const difference = <T>(before: readonly T[], after: readonly T[]): Difference<T> => ({
  added: after.filter((one) => !before.includes(one)),
  removed: before.filter((one) => !after.includes(one)),
});

interface Followed {
  readonly name: string;
  /** Undefined: it is gone. */
  readonly entry: Entry | undefined;
  readonly previous: Entry | undefined;
}

type OnEvent = (event: Followed) => void;

async function followPrefix({ store }: ObjectReader, prefix: string | undefined, on: OnEvent): Promise<void> {
  if (prefix === undefined) return;
  const { entries, revision } = await store.list(prefix);
  for (const entry of entries) on({ name: entry.key.slice(prefix.length), entry, previous: undefined });
  store.subscribe(prefix, { after: revision }, ({ events }) => {
    for (const event of events) on(followed(event, prefix));
  });
}

function followed(event: StoreEvent, prefix: string): Followed {
  const { previous } = event;
  const key = event.type === "put" ? event.entry.key : event.key;
  return { name: key.slice(prefix.length), entry: event.type === "put" ? event.entry : undefined, previous };
}
