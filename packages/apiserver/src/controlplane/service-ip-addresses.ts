/**
 * An IPAddress object for each cluster IP of each Service, which says whose it is. They come and go with what the Services
 * say; those that another client changed or deleted are created again.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/#ip-address-objects
 */
import type { coreV1, networkingV1 } from "@coxswain/api";
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import { ipManagedBy, ipManager, nameOfIp } from "../effects/core/service/service-ip-allocator.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { KeyedReconcileLoop } from "./keyed-reconcile-loop.ts";
import type { ObjectKeeper } from "./object-keeper.ts";

type Service = Readonly<coreV1.Service>;
type IpAddress = Readonly<networkingV1.IPAddress>;

/** How many objects are marked in one turn of the event loop. */
const maxPerTurn = 64;

interface ServiceIpAddressesOptions {
  readonly reader: ObjectReader;
  readonly keeper: ObjectKeeper;
  readonly clock: Clock;
  readonly log: Log;
}

export class ServiceIpAddresses implements AsyncDisposable {
  readonly #options: ServiceIpAddressesOptions;
  /** What may have to change: an address, and the Service that may have it. */
  readonly #loop: KeyedReconcileLoop<ServiceName>;

  constructor(options: ServiceIpAddressesOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#loop = new KeyedReconcileLoop({ clock, log, what: "IPAddresses of Services" }, (...due) => this.#reconcile(...due));
  }

  /** Follows what happens from now on. */
  start(): void {
    const { store, served } = this.#options.reader;
    const after = store.revision;
    const prefixes = prefixesOf(served);
    if (prefixes === undefined) return;
    this.#loop.follow({ store, prefix: prefixes.services, after }, (entry) => this.#markService(entry));
    this.#loop.follow({ store, prefix: prefixes.addresses, after }, (entry) => this.#markAddress(entry));
  }

  /** Marks all that is stored: what a server left that did not come so far, and what one without these objects made. */
  async repair(): Promise<void> {
    try {
      await this.#markAll();
    } catch (error) {
      this.#options.log.warn({ error }, "failed to repair the IPAddresses of all Services");
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop[Symbol.asyncDispose]();
  }

  async #markAll(): Promise<void> {
    const { store, served } = this.#options.reader;
    const prefixes = prefixesOf(served);
    if (prefixes === undefined) return;
    const [services, addresses] = await Promise.all([store.list(prefixes.services), store.list(prefixes.addresses)]);
    const steps = [
      ...services.entries.map((entry) => () => this.#markService(entry)),
      ...addresses.entries.map((entry) => () => this.#markAddress(entry)),
    ];
    for (let i = 0; i < steps.length && !this.#loop.isStopped; i += maxPerTurn) {
      for (const step of steps.slice(i, i + maxPerTurn)) step();
      this.#loop.trigger();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #markService(entry: Entry): void {
    const { metadata: { name = "", namespace = "" } = {}, spec } = this.#options.reader.cache.objectOf(entry) as Service;
    for (const ip of clusterIpsOf(spec)) this.#loop.mark(ip, { name, namespace });
  }

  #markAddress(entry: Entry): void {
    const { metadata, spec } = this.#options.reader.cache.objectOf(entry) as IpAddress;
    if (metadata?.labels?.[ipManagedBy] !== ipManager) return;
    const { name = "", namespace = "" } = spec?.parentRef ?? {};
    this.#loop.markUnlessDue(metadata?.name ?? "", { name, namespace });
  }

  async #reconcile(address: string, { name, namespace }: ServiceName): Promise<void> {
    const { reader, keeper } = this.#options;
    const [service, found] = await Promise.all([
      name === "" ? undefined : readObject<coreV1.Service>(reader, services, namespace, name),
      address === "" ? undefined : readObject<networkingV1.IPAddress>(reader, ipAddresses, "", address),
    ]);
    const isOwned = clusterIpsOf(service?.spec).includes(address);
    const wanted = ipAddressFor(address, { name, namespace });
    if (found !== undefined && (isOwned ? !isSame(found, wanted) : isLeft(found, { name, namespace }))) await keeper.remove(wanted);
    if (isOwned) await keeper.keep(wanted, () => undefined);
  }
}

const services = { group: "", version: "v1", resource: "services" };
const ipAddresses = { group: "networking.k8s.io", version: "v1", resource: "ipaddresses" };

function prefixesOf(served: ObjectReader["served"]): { readonly services: string; readonly addresses: string } | undefined {
  const found = [services, ipAddresses].map(({ group, version, resource }) => served.find(group, version, resource)?.prefix);
  const [ofServices, ofAddresses] = found;
  return ofServices === undefined || ofAddresses === undefined ? undefined : { services: ofServices, addresses: ofAddresses };
}

interface ServiceName {
  readonly name: string;
  readonly namespace: string;
}

/** By the names of their IPAddresses. */
function clusterIpsOf({ clusterIPs, clusterIP, type }: Readonly<coreV1.ServiceSpec> = {}): readonly string[] {
  if (type === "ExternalName") return [];
  return (clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP])).filter((ip) => ip !== "" && ip !== "None").map(nameOfIp);
}

export const ipAddressFor = (address: string, { name, namespace }: ServiceName): networkingV1.IPAddress & KubeObject => ({
  kind: "IPAddress",
  apiVersion: "networking.k8s.io/v1",
  metadata: {
    name: address,
    labels: { "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4", [ipManagedBy]: ipManager },
  },
  spec: { parentRef: { resource: "services", namespace, name } },
});

const isSame = ({ metadata, spec }: IpAddress, wanted: networkingV1.IPAddress): boolean =>
  isOf({ spec }, wanted.spec?.parentRef ?? {}) &&
  Object.entries(wanted.metadata?.labels ?? {}).every(([key, value]) => metadata?.labels?.[key] === value);

/** Whether it is left over: of the Service, which does not have the address, or of no Service at all. Those of other owners stay. */
const isLeft = (address: IpAddress, service: ServiceName): boolean =>
  address.metadata?.labels?.[ipManagedBy] === ipManager && (isOf(address, service) || address.spec?.parentRef?.resource !== "services");

const isOf = ({ spec }: Pick<IpAddress, "spec">, { name, namespace }: Partial<ServiceName>): boolean =>
  spec?.parentRef?.resource === "services" && spec.parentRef.name === name && spec.parentRef.namespace === namespace;
