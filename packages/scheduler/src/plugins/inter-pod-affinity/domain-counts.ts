/** Sums by topology domain. */
import type { NodeInfo } from "../../framework/node-info.ts";
import type { Domains } from "../cluster-index/domains.ts";
import type { SlotCounts } from "../cluster-index/slot-counts.ts";

/** For several topology keys, each made when it is first needed. */
export class DomainCounts {
  readonly #domains: (topologyKey: string) => Domains;
  readonly #byKey = new Map<string, { readonly domains: Domains; readonly counts: Int32Array }>();
  #total = 0;

  constructor(domains: (topologyKey: string) => Domains) {
    this.#domains = domains;
  }

  copy(): DomainCounts {
    const copy = new DomainCounts(this.#domains);
    for (const [key, { domains, counts }] of this.#byKey) copy.#byKey.set(key, { domains, counts: counts.slice() });
    copy.#total = this.#total;
    return copy;
  }

  /** Of all that was added. */
  get total(): number {
    return this.#total;
  }

  /** Whether anything was ever added. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  addSlots(topologyKey: string, slots: SlotCounts, weight: number): void {
    const { domains, counts } = this.#at(topologyKey);
    for (const [slot, count] of slots) {
      const domain = domains.ofSlot[slot] ?? -1;
      if (domain < 0) continue;
      counts[domain] = (counts[domain] ?? 0) + count * weight;
      this.#total += count * weight;
    }
  }

  addNode(topologyKey: string, { labels }: NodeInfo, weight: number): void {
    const { domains, counts } = this.#at(topologyKey);
    const domain = domains.idOf.get(labels[topologyKey] ?? "");
    if (domain === undefined || labels[topologyKey] === undefined) return;
    counts[domain] = (counts[domain] ?? 0) + weight;
    this.#total += weight;
  }

  /** In the node's domain; undefined when the node has no such label. */
  at(topologyKey: string, { labels }: NodeInfo): number | undefined {
    const value = labels[topologyKey];
    if (value === undefined) return undefined;
    const entry = this.#byKey.get(topologyKey);
    return entry === undefined ? 0 : (entry.counts[entry.domains.idOf.get(value) ?? -1] ?? 0);
  }

  /** Whether the node is in a domain, by any key, where there is something. */
  touches(node: NodeInfo): boolean {
    for (const key of this.#byKey.keys()) if ((this.at(key, node) ?? 0) > 0) return true;
    return false;
  }

  /** Of the node's domains, by all keys. */
  sumAt(node: NodeInfo): number {
    let sum = 0;
    for (const key of this.#byKey.keys()) sum += this.at(key, node) ?? 0;
    return sum;
  }

  #at(topologyKey: string): { readonly domains: Domains; readonly counts: Int32Array } {
    let entry = this.#byKey.get(topologyKey);
    if (entry === undefined) {
      const domains = this.#domains(topologyKey);
      entry = { domains, counts: new Int32Array(domains.size) };
      this.#byKey.set(topologyKey, entry);
    }
    return entry;
  }
}
