/**
 * Cluster IPs of one family, out of the ranges of all ServiceCIDRs: Kubernetes' ipallocator.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import type { ServiceIpFamily } from "@coxswain/api";
import { formatIp, parseIp, type RandomSource } from "@coxswain/machinery";
import { AllocatedValues } from "./allocated-values.ts";
import { findFree } from "./range.ts";
import type { ServiceCidrs } from "./service-cidrs.ts";

/** The label, and the value, of IPAddresses that are kept for Services. */
export const ipManagedBy = "ipaddress.kubernetes.io/managed-by";
export const ipManager = "ipallocator.k8s.io";

/** An address, or why there is none. */
export type NextIp = { readonly ip: string } | { readonly problem: "range is full" | "allocator not ready" };

const notReady = "allocator not ready";
export const ipAllocated = "provided IP is already allocated";

export class ServiceIPAllocator {
  readonly values: AllocatedValues;
  readonly #family: ServiceIpFamily;
  readonly #cidrs: ServiceCidrs;
  readonly #random: RandomSource;

  /** @param isRecorded whether there is an IPAddress of this name */
  constructor(family: ServiceIpFamily, cidrs: ServiceCidrs, random: RandomSource, isRecorded: (ip: string) => boolean = () => false) {
    this.values = new AllocatedValues(isRecorded);
    this.#family = family;
    this.#cidrs = cidrs;
    this.#random = random;
  }

  /** Held from then on, or what is wrong. @param owner the stored Service that is written */
  allocate(ip: string, owner: string | undefined): Disposable | string {
    const value = nameOfIp(ip);
    if (this.values.isOwn(value, owner)) return this.values.hold(value);
    if (!this.#ranges().some(({ range, isReady }) => isReady && range.has(value)))
      return "the provided network does not match the current range";
    return this.values.isUsed(value) ? ipAllocated : this.values.hold(value);
  }

  next(): NextIp {
    for (const { range, isReady } of this.#ranges()) {
      const ip = isReady ? findFree(range, (value) => this.values.isUsed(value), this.#random) : undefined;
      if (ip !== undefined) return { ip };
    }
    return { problem: "range is full" };
  }

  /** As Kubernetes tries it out: what is in use it does not look at. Undefined: nothing is wrong. */
  tryAllocate(ip: string, owner: string | undefined): string | undefined {
    const value = nameOfIp(ip);
    if (this.values.isOwn(value, owner)) return undefined;
    const [first] = this.#ranges();
    if (first?.isReady !== true) return notReady;
    const { range } = first;
    return range.has(value) ? undefined : `the provided IP (${value}) is not in the valid range. The range of valid IPs is ${range.text}`;
  }

  /** As Kubernetes tries it out: an address that no Service gets. */
  tryNext(): NextIp {
    const [first] = this.#ranges();
    return first?.isReady === true ? { ip: first.range.network } : { problem: notReady };
  }

  #ranges() {
    return this.#cidrs.rangesOf(this.#family);
  }
}

/** How the IPAddress of an address is called, however that is spelt. */
export function nameOfIp(ip: string): string {
  const parsed = parseIp(ip);
  return parsed === undefined ? ip : formatIp(parsed);
}
