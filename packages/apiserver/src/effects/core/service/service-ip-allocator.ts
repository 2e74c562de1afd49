/**
 * Cluster IPs: Kubernetes' ipallocator.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import type { RandomSource } from "@coxswain/machinery";
import { type Range, RangeAllocator } from "./range-allocator.ts";

/** Kubernetes' usual range. */
export const serviceCidr = "10.96.0.0/12";

/** Without the network's own address and the last one. */
const range: Range = {
  text: serviceCidr,
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

/** The label, and the value, of IPAddresses that are kept for Services. */
export const ipManagedBy = "ipaddress.kubernetes.io/managed-by";
export const ipManager = "ipallocator.k8s.io";

export class ServiceIPAllocator extends RangeAllocator {
  constructor(random: RandomSource) {
    super(range, random);
  }
}
