/** Which nodes are together in the sense of a topology key. */
import type { NodeSlots } from "./node-slots.ts";

/** Does not change: when nodes do, others take its place. */
export interface Domains {
  readonly key: string;
  /** By the label's value: a number from 0 to `size`. */
  readonly idOf: ReadonlyMap<string, number>;
  /** By the node's slot; -1: it has no such label. */
  readonly ofSlot: Int32Array;
  readonly size: number;
}

/** Kept as long as no node changes where it is. */
export class TopologyDomains {
  readonly #slots: NodeSlots;
  readonly #domains = new Map<string, Domains>();
  #placement = -1;

  constructor(slots: NodeSlots) {
    this.#slots = slots;
  }

  of(key: string): Domains {
    if (this.#placement !== this.#slots.placement) {
      this.#domains.clear();
      this.#placement = this.#slots.placement;
    }
    const known = this.#domains.get(key);
    if (known !== undefined) return known;
    const made = this.#make(key);
    this.#domains.set(key, made);
    return made;
  }

  #make(key: string): Domains {
    const idOf = new Map<string, number>();
    const ofSlot = new Int32Array(this.#slots.length).fill(-1);
    for (let slot = 0; slot < ofSlot.length; slot++) {
      const value = this.#slots.nodeAt(slot)?.metadata?.labels?.[key];
      if (value === undefined) continue;
      let id = idOf.get(value);
      if (id === undefined) {
        id = idOf.size;
        idOf.set(value, id);
      }
      ofSlot[slot] = id;
    }
    return { key, idOf, ofSlot, size: idOf.size };
  }
}
