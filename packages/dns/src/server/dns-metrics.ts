/** What is counted, by CoreDNS's names where it counts the same, so that its dashboards show it. */
import { type Counter, type Histogram, MetricsRegistry } from "@coxswain/machinery";
import { codeName, typeName } from "../message/message.ts";
import type { ForwarderCounts } from "../upstream/forwarder.ts";

/** What a message came by. */
export type Protocol = "udp" | "tcp";

/** What is counted of a question and its answer. */
export interface ServedRequest {
  readonly zone: string;
  readonly protocol: Protocol;
  readonly isIpv6: boolean;
  readonly type: number;
  readonly rcode: number;
  readonly durationMs: number;
  readonly responseLength: number;
}

const durationBuckets = Array.from({ length: 16 }, (_, i) => 0.00025 * 2 ** i);
const sizeBuckets = [0, 100, 200, 300, 400, 511, 1023, 2047, 4095, 8291, 16e3, 32e3, 48e3, 64e3];

/** The metrics of a DNS server. */
export class DnsMetrics {
  readonly registry: MetricsRegistry;
  readonly #server: string;
  /** Found again without putting labels together: by what tells them apart. */
  readonly #requests = new Map<string, Counter>();
  readonly #responses = new Map<string, Counter>();
  readonly #durations = new Map<string, Histogram>();
  readonly #sizes = new Map<string, Histogram>();
  readonly #dropped: Counter;
  /** Bring counters up to what is counted elsewhere. */
  readonly #updates: (() => void)[] = [];

  /** `server` is where it listens, as `dns://127.0.0.1:53`. */
  constructor(server: string, registry = new MetricsRegistry()) {
    this.registry = registry;
    this.#server = server;
    this.#dropped = this.registry.counter("coxswain_dns_dropped_total", "Packets and connections that were not answered.");
  }

  served({ zone, protocol, isIpv6, type, rcode, durationMs, responseLength }: ServedRequest): void {
    const { registry } = this;
    const labels = { server: this.#server, zone, view: "" };
    const kind = typeName(type);
    const family = isIpv6 ? "2" : "1";
    known(this.#requests, `${zone} ${protocol} ${family} ${kind}`, () =>
      registry.counter("coredns_dns_requests_total", "Counter of DNS requests made per zone, protocol and family.", {
        ...labels,
        proto: protocol,
        family,
        type: kind,
      }),
    ).add();
    known(this.#responses, `${zone} ${rcode}`, () =>
      registry.counter("coredns_dns_responses_total", "Counter of response status codes.", {
        ...labels,
        rcode: codeName(rcode),
        plugin: "",
      }),
    ).add();
    known(this.#durations, zone, () =>
      registry.histogram(
        "coredns_dns_request_duration_seconds",
        "Histogram of the time (in seconds) each request took per zone.",
        labels,
        durationBuckets,
      ),
    ).observe(durationMs / 1000);
    known(this.#sizes, `${zone} ${protocol}`, () =>
      registry.histogram(
        "coredns_dns_response_size_bytes",
        "Size of the returned response in bytes.",
        { ...labels, proto: protocol },
        sizeBuckets,
      ),
    ).observe(responseLength);
  }

  dropped(): void {
    this.#dropped.add();
  }

  /** Everything, as `text/plain; version=0.0.4`. */
  text(): string {
    for (const update of this.#updates) update();
    return this.registry.text();
  }

  /** Whatever the forwarder counts itself, read when metrics are. */
  follow(counts: () => ForwarderCounts): void {
    const { registry } = this;
    const labels = { server: this.#server };
    const gauge = (name: string, help: string, value: (now: ForwarderCounts) => number): void =>
      void registry.gaugeOf(name, help, labels, () => value(counts()));
    gauge("coredns_cache_entries", "The number of elements in the cache.", (now) => now.cacheSize);
    gauge("coxswain_dns_forward_concurrent_requests", "Questions that wait for other name servers.", (now) => now.concurrent);
    for (const [name, help, value] of counted) {
      const counter = registry.counter(name, help, labels);
      let before = 0;
      this.#updates.push(() => {
        const now = value(counts());
        counter.add(now - before);
        before = now;
      });
    }
  }
}

const counted: readonly (readonly [name: string, help: string, value: (now: ForwarderCounts) => number])[] = [
  ["coredns_cache_hits_total", "The count of cache hits.", (now) => now.cache.hits],
  ["coredns_cache_misses_total", "The count of cache misses.", (now) => now.cache.misses],
  ["coredns_cache_requests_total", "The count of cache requests.", (now) => now.cache.hits + now.cache.misses],
  ["coredns_cache_evictions_total", "The count of cache evictions.", (now) => now.cache.evictions],
  ["coxswain_dns_forward_requests_total", "Attempts to ask other name servers.", (now) => now.requests],
  ["coxswain_dns_forward_failures_total", "Attempts that had no answer.", (now) => now.failures],
  [
    "coredns_forward_max_concurrent_rejects_total",
    "Counter of the number of queries rejected because the concurrent queries were at maximum.",
    (now) => now.rejected,
  ],
];

function known<T>(map: Map<string, T>, key: string, make: () => T): T {
  const there = map.get(key);
  if (there !== undefined) return there;
  const made = make();
  map.set(key, made);
  return made;
}
