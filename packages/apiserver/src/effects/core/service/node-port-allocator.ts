/**
 * Node ports: Kubernetes' portallocator.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
import type { RandomSource } from "@coxswain/machinery";
import { AllocatedValues } from "./allocated-values.ts";
import { findFree, type Range } from "./range.ts";

const first = 30_000;
const last = 32_767;

const range: Range = {
  text: `${first}-${last}`,
  size: BigInt(last - first + 1),
  staticSize: 86n,
  at: (index) => String(BigInt(first) + index),
  has: (value) => Number(value) >= first && Number(value) <= last,
};

export class NodePortAllocator {
  readonly values = new AllocatedValues();
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Held from then on, or what is wrong. @param owner the stored Service that is written */
  allocate(port: number, owner: string | undefined): Disposable | string {
    const value = String(port);
    const isOwn = this.values.isOwn(value, owner);
    if (!isOwn && !range.has(value)) return `provided port is not in the valid range. The range of valid ports is ${range.text}`;
    if (!isOwn && this.values.isUsed(value)) return portAllocated;
    return this.values.hold(value);
  }

  /** Undefined when all are in use. */
  next(): number | undefined {
    const value = findFree(range, (one) => this.values.isUsed(one), this.#random);
    return value === undefined ? undefined : Number(value);
  }
}

export const portAllocated = "provided port is already allocated";
