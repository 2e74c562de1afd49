/** Which cluster IPs and node ports are in use: by what is stored, and by writes that are under way. */
import { DisposableStack, type KubeObject, type RandomSource } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ObjectReader } from "../../../storage/object-reader.ts";
import type { ObjectCache } from "../../../storage/stored-object.ts";
import { NodePortAllocator } from "./node-port-allocator.ts";
import type { Allocation, Range, RangeAllocator } from "./range-allocator.ts";
import { ipManagedBy, ipManager, ServiceIPAllocator } from "./service-ip-allocator.ts";

export interface AllocatorServices extends ObjectReader {
  readonly random: RandomSource;
}

export type RangeName = "ip" | "port";

/** What one write of a Service allocates. Disposed once the write is done: what was stored then speaks for itself. */
export interface AllocationOperation extends Disposable {
  range(name: RangeName): Range;
  /** A value that the Service has already is its own, and held all the same: the Service may be deleted meanwhile. */
  allocate(name: RangeName, value: string): Allocation;
  /** Undefined when every value is in use. */
  allocateNext(name: RangeName): string | undefined;
}

export class ServiceAllocators {
  readonly #allocators: Readonly<Record<RangeName, RangeAllocator>>;

  constructor(random: RandomSource) {
    this.#allocators = { ip: new ServiceIPAllocator(random), port: new NodePortAllocator(random) };
  }

  /** Reads what is stored and follows it from then on. */
  static async load({ random, ...reader }: AllocatorServices): Promise<ServiceAllocators> {
    const { store, cache, served } = reader;
    const allocators = new ServiceAllocators(random);
    const prefix = served.find("", "v1", "services")?.prefix ?? "/registry/services/specs/";
    const { entries, revision } = await store.list(prefix);
    for (const entry of entries) allocators.#store(entry.key, cache.objectOf(entry));
    store.subscribe(prefix, { after: revision }, (batch) => {
      for (const event of batch.events) allocators.#follow(event, cache);
    });
    await allocators.#reserveForOthers(reader);
    return allocators;
  }

  /** Addresses whose IPAddress is not of a Service's making: of a Gateway, for example. */
  async #reserveForOthers({ store, served, cache }: ObjectReader): Promise<void> {
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

  #follow(event: StoreEvent, cache: ObjectCache): void {
    const { previous } = event;
    if (previous !== undefined)
      for (const [name, value] of valuesOf(cache.objectOf(previous))) this.#allocators[name].release(value, previous.key);
    if (event.type === "put") this.#store(event.entry.key, cache.objectOf(event.entry));
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
