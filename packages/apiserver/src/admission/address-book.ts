/** Which addresses and ports are in use: by what is stored, and by writes that are under way. */
import type { KubeObject, RandomSource } from "@coxswain/machinery";
import type { StoreEvent } from "@coxswain/store";
import type { ServerContext } from "../context.ts";

export type PoolName = "ip" | "port";

export interface Pool {
  /** As error messages show it. */
  readonly text: string;
  readonly size: number;
  at(index: number): string;
  has(value: string): boolean;
}

/** 10.96.0.0/12, Kubernetes' usual range; the network's own address and the last one are nobody's. */
const ips: Pool = {
  text: "10.96.0.0/12",
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

const ports: Pool = {
  text: "30000-32767",
  size: 2768,
  at: (index) => String(30_000 + index),
  has: (value) => Number(value) >= 30_000 && Number(value) <= 32_767,
};

const pools: Readonly<Record<PoolName, Pool>> = { ip: ips, port: ports };
const attempts = 32;

export class AddressBook {
  readonly #owners: Readonly<Record<PoolName, Map<string, string>>> = { ip: new Map(), port: new Map() };
  readonly #pending: Readonly<Record<PoolName, Map<string, string>>> = { ip: new Map(), port: new Map() };
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Reads what is stored and follows it from then on. */
  static async load(server: ServerContext): Promise<AddressBook> {
    const book = new AddressBook(server.random);
    const prefix = server.served.find("", "v1", "services")?.prefix ?? "/registry/services/specs/";
    const { entries, revision } = await server.store.list(prefix);
    for (const entry of entries) book.#own(entry.key, server.cache.objectOf(entry));
    server.store.subscribe(prefix, { after: revision }, (batch) => {
      for (const event of batch.events) book.#follow(event, server);
    });
    return book;
  }

  #follow(event: StoreEvent, server: ServerContext): void {
    const previous = event.previous;
    if (previous !== undefined) this.#disown(previous.key, server.cache.objectOf(previous));
    if (event.type === "put") this.#own(event.entry.key, server.cache.objectOf(event.entry));
  }

  #own(key: string, service: Readonly<KubeObject>): void {
    for (const [pool, value] of valuesOf(service)) this.#owners[pool].set(value, key);
  }

  #disown(key: string, service: Readonly<KubeObject>): void {
    for (const [pool, value] of valuesOf(service)) if (this.#owners[pool].get(value) === key) this.#owners[pool].delete(value);
  }

  /** Sets values aside for one write of the Service at `key`, until disposed. */
  begin(key: string) {
    const held: [PoolName, string][] = [];
    const hold = (name: PoolName, value: string): void => {
      this.#pending[name].set(value, key);
      held.push([name, value]);
    };
    return {
      pool: (name: PoolName): Pool => pools[name],
      take: (name: PoolName, value: string): "ok" | "used" | "out of range" => {
        if (!pools[name].has(value)) return this.#owners[name].get(value) === key ? "ok" : "out of range";
        if (this.#owners[name].get(value) === key) return "ok";
        if (this.#isUsed(name, value)) return "used";
        hold(name, value);
        return "ok";
      },
      /** Undefined when every value is in use. */
      any: (name: PoolName): string | undefined => {
        const value = this.#free(name);
        if (value !== undefined) hold(name, value);
        return value;
      },
      [Symbol.dispose]: (): void => {
        for (const [name, value] of held) this.#pending[name].delete(value);
      },
    };
  }

  #isUsed(name: PoolName, value: string): boolean {
    return this.#owners[name].has(value) || this.#pending[name].has(value);
  }

  /** By chance first, then, in a crowded range, one after another. */
  #free(name: PoolName): string | undefined {
    const pool = pools[name];
    const start = Math.floor(this.#random.next() * pool.size);
    for (let i = 0; i < attempts; i++) {
      const value = pool.at(Math.floor(this.#random.next() * pool.size));
      if (!this.#isUsed(name, value)) return value;
    }
    for (let i = 0; i < pool.size; i++) {
      const value = pool.at((start + i) % pool.size);
      if (!this.#isUsed(name, value)) return value;
    }
    return undefined;
  }
}

interface Addressed {
  readonly clusterIPs?: readonly string[];
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
  readonly healthCheckNodePort?: number;
}

function* valuesOf(service: Readonly<KubeObject>): Generator<[PoolName, string]> {
  const { clusterIPs, clusterIP, ports: used = [], healthCheckNodePort = 0 } = (service.spec ?? {}) as Addressed;
  for (const ip of clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP])) if (ip !== "" && ip !== "None") yield ["ip", ip];
  for (const { nodePort } of used) if (nodePort !== undefined && nodePort !== 0) yield ["port", String(nodePort)];
  if (healthCheckNodePort !== 0) yield ["port", String(healthCheckNodePort)];
}
