/**
 * The addresses that one range has for Services.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import { type Cidr, formatCidr, formatIp, masked, parseCidr, parseIp } from "@coxswain/machinery";
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
  const network = masked(address, prefixLength);
  const count = 1n << BigInt((address.family === 4 ? 32 : 128) - prefixLength);
  // Neither the network's address nor, in IPv4, that of all hosts in it.
  const size = count - (address.family === 4 ? 2n : 1n);
  const at = (index: bigint): string => formatIp({ ...address, bits: network + 1n + index });
  return {
    text: formatCidr(cidr),
    network: formatIp({ ...address, bits: network }),
    size: size < 0n ? 0n : size,
    staticSize: staticSizeOf(count),
    at,
    has: (value) => {
      const ip = parseIp(value);
      return ip !== undefined && ip.family === address.family && ip.bits > network && ip.bits <= network + size;
    },
  };
}

/** Kubernetes' `min(max(16, size/16), 256)`. */
function staticSizeOf(count: bigint): bigint {
  if (count <= 16n) return 0n;
  const share = count / 16n;
  return share < 16n ? 16n : share > 256n ? 256n : share;
}
