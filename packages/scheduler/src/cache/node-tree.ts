/** In which order nodes are tried: one of each zone in turn, so that a search that stops early has seen all zones. */
import type { Node } from "../framework/node-info.ts";

export class NodeTree {
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  /** True when the order is another one now. */
  set(name: string, node: Node): boolean {
    const zone = zoneOf(node);
    if (this.#zoneOf.get(name) === zone) return false;
    this.delete(name);
    this.#zoneOf.set(name, zone);
    const names = this.#zones.get(zone);
    if (names === undefined) this.#zones.set(zone, new Set([name]));
    else names.add(name);
    return true;
  }

  delete(name: string): boolean {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return false;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone);
    names?.delete(name);
    if (names?.size === 0) this.#zones.delete(zone);
    return true;
  }

  names(): string[] {
    const zones = Array.from(this.#zones.values(), (names) => [...names]);
    const result: string[] = [];
    for (let at = 0; result.length < this.#zoneOf.size; at++) {
      for (const names of zones) {
        const name = names[at];
        if (name !== undefined) result.push(name);
      }
    }
    return result;
  }
}

/** Zones of one name in two regions are two. */
function zoneOf({ metadata }: Node): string {
  const labels = metadata?.labels ?? {};
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  return `${region}\0${zone}`;
}
