/**
 * Node ports: Kubernetes' portallocator.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
import type { RandomSource } from "@coxswain/machinery";
import { type Range, RangeAllocator } from "./range-allocator.ts";

const range: Range = {
  text: "30000-32767",
  size: 2768,
  at: (index) => String(30_000 + index),
  has: (value) => Number(value) >= 30_000 && Number(value) <= 32_767,
};

export class NodePortAllocator extends RangeAllocator {
  constructor(random: RandomSource) {
    super(range, random);
  }
}
