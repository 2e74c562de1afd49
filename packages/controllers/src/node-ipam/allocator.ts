/** Which node has which ranges, as far as this process knows: what it has written may not have come back by watch yet. */
import { type Cidr, parseCidr } from "@coxswain/machinery";
import type { NodeIpamSettings } from "../contracts/built-in-controller.ts";
import { CidrSet } from "./cidr-set.ts";

/** kube-controller-manager's `--node-cidr-mask-size-ipv4` and `-ipv6`. */
const defaultMaskSizes = { 4: 24, 6: 64 } as const;

export class NodeCidrAllocator {
  readonly #sets: readonly CidrSet[];
  readonly #ofNodes = new Map<string, readonly string[]>();

  /** @throws RangeError for ranges that cannot be cut so */
  constructor({ clusterCidrs, serviceCidrs = [], maskSizes = {} }: NodeIpamSettings) {
    this.#sets = clusterCidrs.map((text) => new CidrSet(text, { ...defaultMaskSizes, ...maskSizes }[familyOf(text)]));
    for (const set of this.#sets) for (const range of serviceCidrs) set.occupy(range);
  }

  /** Undefined when a family has none left: then the node gets none of either. */
  allocate(node: string): readonly string[] | undefined {
    const ranges = this.#sets.map((set) => set.allocateNext());
    const found = ranges.filter((range) => range !== undefined);
    this.#ofNodes.set(node, found);
    if (found.length === ranges.length) return found;
    this.release(node);
    return undefined;
  }

  /** That a node has these, whoever has given them. */
  occupy(node: string, ranges: readonly string[]): void {
    const known = this.#ofNodes.get(node) ?? [];
    if (known.length === ranges.length && known.every((range, i) => range === ranges[i])) return;
    this.release(node);
    for (const set of this.#sets) for (const range of ranges) set.occupy(range);
    this.#ofNodes.set(node, ranges);
  }

  release(node: string): void {
    for (const range of this.#ofNodes.get(node) ?? []) for (const set of this.#sets) set.release(range);
    this.#ofNodes.delete(node);
  }
}

const familyOf = (text: string): Cidr["address"]["family"] => parseCidr(text)?.address.family ?? 4;
