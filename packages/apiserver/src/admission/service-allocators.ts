/**
 * Which cluster IPs and node ports are in use: by what is stored, and by writes that are under way. Kubernetes' ipallocator
 * and portallocator.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import type { KubeObject, RandomSource } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ServerContext } from "../context.ts";

export type RangeName = "ip" | "port";

export interface Range {
  /** As error messages show it. */
  readonly text: string;
  readonly size: number;
  at(index: number): string;
  has(value: string): boolean;
}

/** Kubernetes' usual range. */
export const serviceCidr = "10.96.0.0/12";

/** The network's own address and the last one are nobody's. */
const ips: Range = {
  text: serviceCidr,
  size: 2 ** 20 - 2,
  at: (index) => {
    const n = index + 1;
    return `10.${96 + (n >>> 16)}.${(n >>> 8) & 255}.${n & 255}`;
  },
  has: (value) => {
    const match = /^10\.(\d+)\.(\d+)\.(\d+)$/.exec(value);
    const second = Number(match?.[1] ?? 0);
    return second >= 96 && second <= 111 && value !== "10.96.0.0" && value !== "10.111.255.255";
  },
};

const ports: Range = {
  text: "30000-32767",
  size: 2768,
  at: (index) => String(30_000 + index),
  has: (value) => Number(value) >= 30_000 && Number(value) <= 32_767,
};

/** The label, and the value, of IPAddresses that are kept for Services. */
export const ipManagedBy = "ipaddress.kubernetes.io/managed-by";
export const ipManager = "ipallocator.k8s.io";

export type Allocation = "allocated" | "already allocated" | "not in range";

/** What one write of a Service allocates. Disposed once the write is done: what was stored then speaks for itself. */
export interface AllocationOperation extends Disposable {
  range(name: RangeName): Range;
  /** A value that the Service has already is its own, and held all the same: the Service may be deleted meanwhile. */
  allocate(name: RangeName, value: string): Allocation;
  /** Undefined when every value is in use. */
  allocateNext(name: RangeName): string | undefined;
}

export class ServiceAllocators {
  readonly #allocators: Readonly<Record<RangeName, Allocator>>;

  constructor(random: RandomSource) {
    this.#allocators = { ip: new Allocator(ips, random), port: new Allocator(ports, random) };
  }

  /** Reads what is stored and follows it from then on. */
  static async load(server: ServerContext): Promise<ServiceAllocators> {
    const allocators = new ServiceAllocators(server.random);
    const prefix = server.served.find("", "v1", "services")?.prefix ?? "/registry/services/specs/";
    const { entries, revision } = await server.store.list(prefix);
    for (const entry of entries) allocators.#store(entry.key, server.cache.objectOf(entry));
    server.store.subscribe(prefix, { after: revision }, (batch) => {
      for (const event of batch.events) allocators.#follow(event, server);
    });
    await allocators.#reserveForOthers(server);
    return allocators;
  }

  /** Addresses whose IPAddress is not of a Service's making: of a Gateway, for example. */
  async #reserveForOthers({ store, served, cache }: ServerContext): Promise<void> {
    const prefix = served.find("networking.k8s.io", "v1", "ipaddresses")?.prefix;
    if (prefix === undefined) return;
    const reserve = (entry: Entry): void => {
      const address = entry.key.slice(prefix.length);
      if (cache.labelsOf(entry)[ipManagedBy] === ipManager) this.#allocators.ip.release(address, entry.key);
      else this.#allocators.ip.reserve(address, entry.key);
    };
    const { entries, revision } = await store.list(prefix);
    for (const entry of entries) reserve(entry);
    store.subscribe(prefix, { after: revision }, ({ events }) => {
      for (const event of events) {
        if (event.type === "put") reserve(event.entry);
        else this.#allocators.ip.release(event.key.slice(prefix.length), event.key);
      }
    });
  }

  #follow(event: StoreEvent, server: ServerContext): void {
    const { previous } = event;
    if (previous !== undefined)
      for (const [name, value] of valuesOf(server.cache.objectOf(previous))) this.#allocators[name].release(value, previous.key);
    if (event.type === "put") this.#store(event.entry.key, server.cache.objectOf(event.entry));
  }

  #store(key: string, service: Readonly<KubeObject>): void {
    for (const [name, value] of valuesOf(service)) this.#allocators[name].store(value, key);
  }

  /** For a create, what is stored under the key is another Service, which may be about to go: its values are not for this one. */
  begin(key: string, operation: "create" | "update"): AllocationOperation {
    const owner = operation === "update" ? key : undefined;
    const held = new DisposableStack();
    return {
      range: (name) => this.#allocators[name].range,
      allocate: (name, value) => {
        const result = this.#allocators[name].hold(value, owner);
        if (typeof result === "string") return result;
        held.use(result);
        return "allocated";
      },
      allocateNext: (name) => {
        const value = this.#allocators[name].free();
        const hold = value === undefined ? undefined : this.#allocators[name].hold(value, owner);
        if (typeof hold === "object") held.use(hold);
        return value;
      },
      [Symbol.dispose]: () => held.dispose(),
    };
  }
}

const attempts = 32;

/** The values of one range. */
class Allocator {
  readonly range: Range;
  readonly #random: RandomSource;
  /** The key of the stored Service that has the value, or of what holds it for others. */
  readonly #stored = new Map<string, string>();
  /** How many writes that are under way rely on the value. */
  readonly #held = new Map<string, number>();

  constructor(range: Range, random: RandomSource) {
    this.range = range;
    this.#random = random;
  }

  store(value: string, key: string): void {
    this.#stored.set(value, key);
  }

  /** For what is no Service's; a Service that has the value keeps it. */
  reserve(value: string, key: string): void {
    if (!this.#stored.has(value)) this.#stored.set(value, key);
  }

  release(value: string, key: string): void {
    if (this.#stored.get(value) === key) this.#stored.delete(value);
  }

  /** Keeps the value from all others until it is disposed. @param owner the stored Service that is written */
  hold(value: string, owner: string | undefined): Disposable | Exclude<Allocation, "allocated"> {
    const isOwn = owner !== undefined && this.#stored.get(value) === owner;
    if (!isOwn && !this.range.has(value)) return "not in range";
    if (!isOwn && this.#isUsed(value)) return "already allocated";
    this.#held.set(value, (this.#held.get(value) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#letGo(value) };
  }

  /** By chance first, then, in a crowded range, one after another. */
  free(): string | undefined {
    const { size } = this.range;
    const start = Math.floor(this.#random.next() * size);
    for (let i = 0; i < attempts; i++) {
      const value = this.range.at(Math.floor(this.#random.next() * size));
      if (!this.#isUsed(value)) return value;
    }
    for (let i = 0; i < size; i++) {
      const value = this.range.at((start + i) % size);
      if (!this.#isUsed(value)) return value;
    }
    return undefined;
  }

  #isUsed(value: string): boolean {
    return this.#stored.has(value) || this.#held.has(value);
  }

  #letGo(value: string): void {
    const others = (this.#held.get(value) ?? 0) - 1;
    if (others > 0) this.#held.set(value, others);
    else this.#held.delete(value);
  }
}

interface Addressed {
  readonly clusterIPs?: readonly string[];
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
  readonly healthCheckNodePort?: number;
}

function* valuesOf(service: Readonly<KubeObject>): Generator<[RangeName, string]> {
  const { clusterIPs, clusterIP, ports: used = [], healthCheckNodePort = 0 } = (service.spec ?? {}) as Addressed;
  for (const ip of clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP])) if (ip !== "" && ip !== "None") yield ["ip", ip];
  for (const { nodePort } of used) if (nodePort !== undefined && nodePort !== 0) yield ["port", String(nodePort)];
  if (healthCheckNodePort !== 0) yield ["port", String(healthCheckNodePort)];
}
