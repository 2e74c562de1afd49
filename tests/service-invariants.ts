/** What holds of Services, IPAddresses and the bitmap of node ports after each write, whoever makes it. Read without the server's own code. */
import assert from "node:assert/strict";
import type { Store, StoreEvent } from "@coxswain/store";

const [services, addresses, ports] = ["/registry/services/specs/", "/registry/ipaddresses/", "/registry/ranges/servicenodeports"];

interface Service {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly type?: string;
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly { readonly nodePort?: number }[];
    readonly healthCheckNodePort?: number;
  };
}

interface IpAddress {
  readonly spec?: { readonly parentRef?: { readonly namespace: string; readonly name: string } };
}

/** A bit for each port of the range, as base64. */
interface RangeAllocation {
  readonly range?: string;
  readonly data?: string;
}

export interface InvariantsOptions {
  /** Whether no kube-apiserver writes, which takes before it stores and frees after it has deleted. */
  readonly isExact?: boolean;
  /** Whether a revision is one write; otherwise a batch is one. */
  readonly byRevision?: boolean;
}

/** Follows a store from its oldest revision on. */
export class ServiceInvariants implements Disposable {
  readonly #services = new Map<string, Service>();
  /** By address. */
  readonly #addresses = new Map<string, IpAddress>();
  #ports: RangeAllocation = {};
  readonly #subscription: Disposable;
  /** How many states were checked. */
  states = 0;
  /** The first state in which something did not hold. */
  violation: unknown;

  constructor(store: Store, { isExact = true, byRevision = false }: InvariantsOptions = {}) {
    this.#subscription = store.subscribe("/registry/", { after: store.compacted }, ({ events }) => {
      for (const state of byRevision ? revisionsOf(events) : [events]) {
        this.#take(state);
        if (this.violation === undefined) this.#note(isExact);
      }
    });
  }

  /** The addresses and ports of all Services, sorted. */
  get used(): { readonly ips: string[]; readonly ports: number[] } {
    const found = [...this.#services.values()];
    return {
      ips: found.flatMap(({ spec }) => ipsOf(spec)).sort(),
      ports: found.flatMap(({ spec }) => [...portsOf(spec)]).sort((a, b) => a - b),
    };
  }

  get addresses(): string[] {
    return [...this.#addresses.keys()].sort();
  }

  get bits(): number[] {
    const { range, data } = this.#ports;
    const first = Number(range?.split("-")[0]);
    const number = BigInt(`0x0${Buffer.from(data ?? "", "base64").toString("hex")}`);
    return [...number.toString(2)].reverse().flatMap((bit, i) => (bit === "1" ? [first + i] : []));
  }

  /** @throws AssertionError for the first state in which something did not hold */
  assertHeld(): void {
    if (this.violation !== undefined) throw this.violation;
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  #note(isExact: boolean): void {
    try {
      this.#check(isExact);
      this.states++;
    } catch (error) {
      this.violation = error;
    }
  }

  #take(events: readonly StoreEvent[]): void {
    for (const event of events) {
      const [key, value] = event.type === "put" ? [event.entry.key, event.entry.value] : [event.key, undefined];
      if (key.startsWith(services)) setOrDelete(this.#services, key, value);
      else if (key.startsWith(addresses)) setOrDelete(this.#addresses, key.slice(addresses.length), value);
      else if (key === ports) this.#ports = value === undefined ? {} : decode(value);
    }
  }

  #check(isExact: boolean): void {
    const used = this.used;
    assert.deepEqual(used.ips, [...new Set(used.ips)], "an address twice");
    assert.deepEqual(used.ports, [...new Set(used.ports)], "a port twice");
    const [owned, bits] = [this.addresses, this.bits];
    if (isExact) {
      assert.deepEqual(owned, used.ips);
      assert.deepEqual(bits, used.ports);
    } else {
      assert.deepEqual(
        used.ips.filter((ip) => !owned.includes(ip)),
        [],
        "an address without its IPAddress",
      );
      assert.deepEqual(
        used.ports.filter((port) => !bits.includes(port)),
        [],
        "a port without its bit",
      );
    }
    for (const { metadata, spec } of this.#services.values())
      for (const ip of ipsOf(spec)) {
        const parentRef = this.#addresses.get(ip)?.spec?.parentRef;
        assert.deepEqual([parentRef?.namespace, parentRef?.name], [metadata.namespace, metadata.name]);
      }
  }
}

const decode = (value: Uint8Array) => JSON.parse(Buffer.from(value).toString());

function setOrDelete<T>(map: Map<string, T>, key: string, value: Uint8Array | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, decode(value));
}

const ipsOf = ({ clusterIPs = [] }: Service["spec"]): string[] => clusterIPs.filter((ip) => ip !== "None");

const portsOf = ({ ports: all = [], healthCheckNodePort = 0 }: Service["spec"]): Set<number> =>
  new Set([...all.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter((port) => port !== 0));

const revisionOf = (event: StoreEvent): number => (event.type === "put" ? event.entry.modified : event.revision);

const revisionsOf = (events: readonly StoreEvent[]): StoreEvent[][] => [...Map.groupBy(events, revisionOf).values()];
