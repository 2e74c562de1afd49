/**
 * An IPAddress object for each cluster IP of each Service, which says whose it is. They come and go with the writes of the Services; here
 * is put right what others have changed or deleted, what an older server stored without them, and what a kube-apiserver left that
 * ended between its two writes.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/#ip-address-objects
 */
import type { networkingV1 } from "@coxswain/api";
import type { Timer } from "@coxswain/machinery";
import type { Compare, Entry, Write } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import {
  type IpAddressServices,
  ipAddressFor,
  isAddressOf,
  newIpAddress,
  refersToService,
  type ServiceName,
} from "../effects/core/service/ip-address.ts";
import { ipManagedBy, ipManager } from "../effects/core/service/service-ip-allocator.ts";
import { ipsOf } from "../effects/core/service/service-values.ts";
import { cloneJson } from "../storage/clone-json.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { encodeObject } from "../storage/stored-object.ts";
import { KeyedReconcileLoop } from "./keyed-reconcile-loop.ts";
import { writeNote } from "./write-note.ts";

type IpAddress = networkingV1.IPAddress;

/** How many objects are marked in one turn of the event loop. */
const maxPerTurn = 64;
/** So long an IPAddress may be there without its Service: kube-apiserver creates it first and deletes it last. */
const graceMs = 60_000;

interface ServiceIpAddressesOptions extends IpAddressServices {
  readonly reader: ObjectReader;
  readonly log: Log;
}

export class ServiceIpAddresses implements AsyncDisposable {
  readonly #options: ServiceIpAddressesOptions;
  /** What may have to change: an address, and the Service that may have it. */
  readonly #loop: KeyedReconcileLoop<ServiceName>;
  /** Without their Service, since when: monotonic milliseconds. */
  readonly #leaked = new Map<string, { readonly modified: number; readonly since: number; readonly owner: ServiceName }>();
  #timer: Timer | undefined;

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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
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
    const service = this.#options.reader.cache.objectOf(entry);
    const { name = "", namespace = "" } = service.metadata ?? {};
    for (const ip of ipsOf(service)) this.#loop.mark(ip, { name, namespace });
  }

  #markAddress(entry: Entry): void {
    const { metadata, spec } = this.#options.reader.cache.objectOf(entry) as IpAddress;
    if (metadata?.labels?.[ipManagedBy] !== ipManager) return;
    const { name = "", namespace = "" } = spec?.parentRef ?? {};
    this.#loop.markUnlessDue(metadata?.name ?? "", { name, namespace });
  }

  async #reconcile(address: string, owner: ServiceName): Promise<void> {
    const service = await this.#service(owner);
    const entry = await this.#address(address);
    const relied: Compare = { key: service.key, modified: service.entry?.modified ?? "absent" };
    if (service.has(address)) await this.#keep(address, owner, { entry, relied });
    else if (entry !== undefined) return await this.#removeLeft(address, owner, { entry, relied });
    this.#leaked.delete(address);
  }

  async #keep(address: string, owner: ServiceName, { entry, relied }: Found<Entry | undefined>): Promise<void> {
    if (entry === undefined) return await this.#create(address, owner, relied);
    const found = this.#options.reader.cache.objectOf(entry) as IpAddress;
    const { labels } = ipAddressFor(address, owner).metadata ?? {};
    const isLabelled = Object.entries(labels ?? {}).every(([key, value]) => found.metadata?.labels?.[key] === value);
    if (isAddressOf(found, owner)) {
      if (!isLabelled)
        await this.#write({ op: "put", key: entry.key, value: labelled(found, labels), expect: entry.modified, compare: [relied] });
      return;
    }
    // Two Services of one address, as some older server may have left them: it stays the first one's.
    const { name = "", namespace = "" } = found.spec?.parentRef ?? {};
    if (refersToService(found) && (await this.#service({ name, namespace })).has(address)) return;
    if (await this.#write({ op: "delete", key: entry.key, expect: entry.modified, compare: [relied] }))
      await this.#create(address, owner, relied);
  }

  async #create(address: string, owner: ServiceName, relied: Compare): Promise<void> {
    const created = newIpAddress(this.#options, address, owner);
    if (created !== undefined) await this.#write({ op: "put", ...created, compare: [relied] });
  }

  /** What is left over: of the Service, which does not have the address, or of no Service at all. Those of other owners stay. */
  async #removeLeft(address: string, owner: ServiceName, { entry, relied }: Found<Entry>): Promise<void> {
    const found = this.#options.reader.cache.objectOf(entry) as IpAddress;
    if (found.metadata?.labels?.[ipManagedBy] !== ipManager) return;
    const deletion = { op: "delete", key: entry.key, expect: entry.modified, compare: [relied] } as const;
    if (!refersToService(found)) await this.#write(deletion);
    else if (isAddressOf(found, owner) && this.#isOverdue(address, owner, entry)) await this.#write(deletion);
  }

  /** Whether it was so for long enough; else it is looked at again then. */
  #isOverdue(address: string, owner: ServiceName, { modified }: Entry): boolean {
    const now = this.#options.clock.monotonic();
    const seen = this.#leaked.get(address);
    if (seen?.modified === modified && now - seen.since >= graceMs) return true;
    if (seen?.modified !== modified) this.#leaked.set(address, { modified, since: now, owner });
    this.#timer ??= this.#options.clock.schedule(graceMs, () => this.#markLeaked());
    this.#timer.unref();
    return false;
  }

  #markLeaked(): void {
    this.#timer = undefined;
    for (const [address, { owner }] of this.#leaked) this.#loop.markUnlessDue(address, owner);
    this.#loop.trigger();
  }

  /** False where something has changed meanwhile, of which the loop hears. */
  async #write(op: Write): Promise<boolean> {
    return (await this.#options.reader.store.write(op, writeNote)).ok;
  }

  async #service({ name, namespace }: ServiceName) {
    const { reader } = this.#options;
    const key = `${prefixesOf(reader.served)?.services}${namespace}/${name}`;
    const { entry } = await reader.store.get(key);
    const ips = entry === undefined ? [] : ipsOf(reader.cache.objectOf(entry));
    return { key, entry, has: (address: string): boolean => ips.includes(address) };
  }

  async #address(name: string): Promise<Entry | undefined> {
    const { store, served } = this.#options.reader;
    return (await store.get(`${prefixesOf(served)?.addresses}${name}`)).entry;
  }
}

interface Found<E extends Entry | undefined> {
  readonly entry: E;
  /** The state of the Service that was looked at. */
  readonly relied: Compare;
}

function labelled(found: Readonly<IpAddress>, labels: Readonly<Record<string, string>> | undefined): Uint8Array {
  const { metadata } = found;
  return encodeObject(cloneJson({ ...found, metadata: { ...metadata, labels: { ...metadata?.labels, ...labels } } }));
}

function prefixesOf(served: ObjectReader["served"]): { readonly services: string; readonly addresses: string } | undefined {
  const services = served.find("", "v1", "services")?.prefix;
  const addresses = served.find("networking.k8s.io", "v1", "ipaddresses")?.prefix;
  return services === undefined || addresses === undefined ? undefined : { services, addresses };
}
