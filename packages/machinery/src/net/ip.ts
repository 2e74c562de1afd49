/**
 * IP addresses and CIDRs as Go's `net` package parses them for Kubernetes: with leading zeros in IPv4 numbers, and IPv4
 * addresses written as IPv6 (`::ffff:1.2.3.4`). What a field may hold is checked in validation/ip.ts.
 */

export interface IpAddress {
  /** 4 also for an IPv4 address mapped to IPv6. */
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly leadingZeros: boolean;
  /** Written as IPv6 though it is an IPv4 address. */
  readonly mapped: boolean;
}

/** A network: its address and how many bits of it count. */
export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
  readonly leadingZeros: boolean;
}

/** Undefined when Go would not parse it either. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/** Parses `address/length`; undefined for what is none. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (address === undefined || !/^\d{1,7}$/.test(length)) return undefined;
  const prefixLength = Number(length);
  if (prefixLength > (address.family === 4 && !address.mapped ? 32 : 128)) return undefined;
  return { address, prefixLength, leadingZeros: address.leadingZeros || String(prefixLength) !== length };
}

/** RFC 5952, or dotted numbers. */
export function formatIp({ family, bits }: IpAddress): string {
  return family === 4 ? formatIpv4(bits) : formatIpv6(bits);
}

/** The network: address bits beyond the prefix cleared. */
export function formatCidr(cidr: Cidr): string {
  const { address } = cidr;
  const bits = ipv4PrefixLength(cidr);
  return `${formatIp({ ...address, bits: masked(address, bits) })}/${bits}`;
}

/** Whether an address is in a network; never when they are of different families. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.address.family !== address.family) return false;
  const bits = ipv4PrefixLength(cidr);
  return masked(cidr.address, bits) === masked(address, bits);
}

/** The length counted in the 32 bits of IPv4 for addresses that are written as IPv6. */
export const ipv4PrefixLength = ({ address, prefixLength }: Cidr): number =>
  address.mapped ? Math.max(0, prefixLength - 96) : prefixLength;

/** The bits of the network: those beyond the prefix are zero. */
export function masked({ family, bits }: IpAddress, prefixLength: number): bigint {
  const rest = BigInt((family === 4 ? 32 : 128) - prefixLength);
  return (bits >> rest) << rest;
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^\d{1,7}$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return { family: 4, bits, leadingZeros: parts.some((p) => p.length > 1 && p.startsWith("0")), mapped: false };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  let leadingZeros = false;
  const groups: bigint[][] = [];
  for (const [i, half] of halves.entries()) {
    const out: bigint[] = [];
    const parts = half === "" ? [] : half.split(":");
    for (const [j, part] of parts.entries()) {
      const embedded = part.includes(".") && i === halves.length - 1 && j === parts.length - 1 ? parseIpv4(part) : undefined;
      if (embedded !== undefined) {
        leadingZeros = embedded.leadingZeros;
        out.push(embedded.bits >> 16n, embedded.bits & 0xffffn);
      } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) out.push(BigInt(`0x${part}`));
      else return undefined;
    }
    groups.push(out);
  }
  const [head = [], tail = []] = groups;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = halves.length === 2 ? [...head, ...Array<bigint>(missing).fill(0n), ...tail] : head;
  const bits = all.reduce((sum, group) => (sum << 16n) | group, 0n);
  return bits >> 32n === 0xffffn
    ? { family: 4, bits: bits & 0xffffffffn, leadingZeros, mapped: true }
    : { family: 6, bits, leadingZeros, mapped: false };
}

const formatIpv4 = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join(".");

/** The longest run of at least two zero groups, the first of equals, becomes `::`. */
function formatIpv6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bits >> BigInt(112 - 16 * i)) & 0xffffn);
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0n) end++;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
  }
  const hex = (part: readonly bigint[]): string => part.map((g) => g.toString(16)).join(":");
  return start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}
