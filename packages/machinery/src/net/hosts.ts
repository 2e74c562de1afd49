/** The addresses of a network that something in it can have. */
import { type Cidr, type IpAddress, masked } from "./ip.ts";

export interface HostRange {
  readonly first: bigint;
  /** Below the first where there are none. */
  readonly last: bigint;
}

/** Neither the network's own address nor, in IPv4, the one that stands for all hosts. */
export function hostRange({ address, prefixLength }: Cidr): HostRange {
  const isIpv4 = address.family === 4;
  const network = masked(address, prefixLength);
  const count = 1n << BigInt((isIpv4 ? 32 : 128) - prefixLength);
  return { first: network + 1n, last: network + count - (isIpv4 ? 2n : 1n) };
}

/** Never when they are of different families. */
export function isHostIn(cidr: Cidr, { family, bits }: IpAddress): boolean {
  const { first, last } = hostRange(cidr);
  return family === cidr.address.family && bits >= first && bits <= last;
}
