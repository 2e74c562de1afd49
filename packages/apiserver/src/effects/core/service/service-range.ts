/**
 * The addresses that one range has for Services.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import { type Cidr, formatCidr, formatIp, hostRange, isHostIn, masked, parseCidr, parseIp } from "@coxswain/machinery";
import type { Range } from "./range.ts";

export interface ServiceRange extends Range {
  /** The network's own address, which no Service gets. */
  readonly network: string;
}

/** Of IPv6: what is larger no Service gets an address of. */
const minPrefixLength6 = 64;

/** Undefined for what no addresses are allocated from. */
export function serviceRange(text: string): ServiceRange | undefined {
  const cidr = parseCidr(text);
  return cidr === undefined || (cidr.address.family === 6 && cidr.prefixLength < minPrefixLength6) ? undefined : rangeOf(cidr);
}

function rangeOf(cidr: Cidr): ServiceRange {
  const { address, prefixLength } = cidr;
  const { first, last } = hostRange(cidr);
  const size = last - first + 1n;
  return {
    text: formatCidr(cidr),
    network: formatIp({ ...address, bits: masked(address, prefixLength) }),
    size: size < 0n ? 0n : size,
    staticSize: staticSizeOf(1n << BigInt((address.family === 4 ? 32 : 128) - prefixLength)),
    at: (index) => formatIp({ ...address, bits: first + index }),
    has: (value) => {
      const ip = parseIp(value);
      return ip !== undefined && isHostIn(cidr, ip);
    },
  };
}

/** Kubernetes' `min(max(16, size/16), 256)`. */
function staticSizeOf(count: bigint): bigint {
  if (count <= 16n) return 0n;
  const share = count / 16n;
  return share < 16n ? 16n : share > 256n ? 256n : share;
}
