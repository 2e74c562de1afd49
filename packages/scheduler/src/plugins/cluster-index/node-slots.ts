/** Follows the snapshot's nodes from one attempt to the next, at the cost of what has changed. */
import { deepEqual } from "@coxswain/machinery";
import type { Node, NodeInfo, Snapshot } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";

/** Called with the Pods that are added to a node and removed from it. */
export interface PodCounter {
  count(pod: PodInfo, slot: number, sign: 1 | -1): void;
}

interface Slot {
  readonly slot: number;
  readonly name: string;
  /** Undefined: what is on the node is still to be counted. */
  info: NodeInfo | undefined;
  generation: number;
  node: Node;
  pods: readonly PodInfo[];
  /** The last reordering in which the node was there. */
  seen: number;
}

/** Each node has a number of its own, small enough to be an index, as long as it is there. */
export class NodeSlots {
  readonly #counter: PodCounter;
  readonly #byName = new Map<string, Slot>();
  readonly #slots: (Slot | undefined)[] = [];
  readonly #free: number[] = [];
  /** As of the last update. */
  #nodes: readonly NodeInfo[] | undefined;
  #generation = 0;
  #order: readonly Slot[] = [];
  #reorderings = 0;
  #placement = 0;

  constructor(counter: PodCounter) {
    this.#counter = counter;
  }

  /** Rises when a node comes or goes, or changes its labels or taints. */
  get placement(): number {
    return this.#placement;
  }

  /** More than the largest slot. */
  get length(): number {
    return this.#slots.length;
  }

  slotOf(node: string): number | undefined {
    return this.#byName.get(node)?.slot;
  }

  nodeAt(slot: number): Node | undefined {
    return this.#slots[slot]?.node;
  }

  /** Must come before anything is read in an attempt. */
  update(snapshot: Pick<Snapshot, "nodes" | "generation" | "changesSince">): void {
    const { nodes, generation } = snapshot;
    if (nodes === this.#nodes && generation === this.#generation) return;
    const changes = nodes === this.#nodes ? snapshot.changesSince?.(this.#generation) : undefined;
    this.#nodes = nodes;
    this.#generation = generation;
    if (changes === undefined) return void this.#compare(nodes);
    for (const info of changes) {
      const at = this.#byName.get(info.name);
      if (at !== undefined) this.#refresh(info, at);
    }
  }

  #compare(nodes: readonly NodeInfo[]): void {
    if (nodes.length !== this.#order.length) this.#reorder(nodes);
    for (let i = 0; i < nodes.length; i++) {
      const info = nodes[i];
      let at = this.#order[i];
      if (info === undefined || at === undefined) continue;
      if (info === at.info && info.generation === at.generation) continue;
      if (info.name !== at.name) {
        this.#reorder(nodes);
        at = this.#order[i] ?? at;
      }
      this.#refresh(info, at);
    }
  }

  #reorder(nodes: readonly NodeInfo[]): void {
    const seen = ++this.#reorderings;
    this.#order = nodes.map(({ name, node }) => {
      const slot = this.#byName.get(name) ?? this.#occupy(name, node);
      slot.seen = seen;
      return slot;
    });
    for (const slot of this.#slots) if (slot !== undefined && slot.seen !== seen) this.#vacate(slot);
    this.#placement++;
  }

  #occupy(name: string, node: Node): Slot {
    const slot = { slot: this.#free.pop() ?? this.#slots.length, name, info: undefined, generation: 0, node, pods: [], seen: 0 };
    this.#slots[slot.slot] = slot;
    this.#byName.set(name, slot);
    return slot;
  }

  #vacate({ slot, name, pods }: Slot): void {
    for (const pod of pods) this.#counter.count(pod, slot, -1);
    this.#byName.delete(name);
    this.#slots[slot] = undefined;
    this.#free.push(slot);
  }

  #refresh(info: NodeInfo, slot: Slot): void {
    const { pods, node } = info;
    if (!isPlacedAlike(node, slot.node)) this.#placement++;
    const before = slot.pods;
    let same = 0;
    while (same < pods.length && pods[same] === before[same]) same++;
    for (let i = same; i < before.length; i++) this.#count(before[i], slot.slot, -1);
    for (let i = same; i < pods.length; i++) this.#count(pods[i], slot.slot, 1);
    slot.node = node;
    slot.info = info;
    slot.generation = info.generation;
    slot.pods = pods.slice();
  }

  #count(pod: PodInfo | undefined, slot: number, sign: 1 | -1): void {
    if (pod !== undefined) this.#counter.count(pod, slot, sign);
  }
}

const isPlacedAlike = (a: Node, b: Node): boolean =>
  a === b || (deepEqual(a.metadata?.labels, b.metadata?.labels) && deepEqual(a.spec?.taints, b.spec?.taints));
