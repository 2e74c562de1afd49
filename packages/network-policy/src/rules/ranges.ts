/** Ranges of addresses and of ports: what is in them without overlaps, as sets of nftables want it. */
import { type Cidr, formatCidr, formatIp, parseCidr, parseIp } from "@coxswain/machinery";
import type { IpFamily } from "@coxswain/proxy";

/** Both ends are in it. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** Addresses of one family, in order and apart from each other. */
export interface AddressRanges {
  readonly family: IpFamily;
  readonly ranges: readonly Range[];
}

/** What is in the network but in none of the exceptions. Undefined for a text that is no network. */
export function addressesOfBlock(cidr: string, except: readonly string[]): AddressRanges | undefined {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) return undefined;
  const holes = except.flatMap((text) => parseCidr(text) ?? []).filter(({ address }) => address.family === parsed.address.family);
  let ranges: readonly Range[] = [rangeOf(parsed)];
  for (const hole of holes) ranges = ranges.flatMap((range) => without(range, rangeOf(hole)));
  return { family: parsed.address.family === 4 ? "IPv4" : "IPv6", ranges };
}

/** Whether all addresses of the family are in it. */
export const isEverything = ({ family, ranges: [range] }: AddressRanges): boolean =>
  range?.first === 0n && range.last === (1n << (family === "IPv4" ? 32n : 128n)) - 1n;

/** The same numbers, in order, with nothing twice. */
export function merged(ranges: readonly Range[]): readonly Range[] {
  const found: { first: bigint; last: bigint }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const before = found.at(-1);
    if (before === undefined || first > before.last + 1n) found.push({ first, last });
    else if (last > before.last) before.last = last;
  }
  return found;
}

/** Never for an address of the other family. */
export function includesAddress({ family, ranges }: AddressRanges, text: string): boolean {
  const ip = parseIp(text);
  if (ip === undefined || (ip.family === 4) !== (family === "IPv4")) return false;
  return ranges.some(({ first, last }) => first <= ip.bits && ip.bits <= last);
}

/** An address as people write it. */
export const addressText = (family: IpFamily, bits: bigint): string =>
  formatIp({ family: family === "IPv4" ? 4 : 6, bits, leadingZeros: false, mapped: false });

function rangeOf(cidr: Cidr): Range {
  // Bits beyond the prefix are cleared, and the length of a mapped address counts in IPv4's 32 bits.
  const { address, prefixLength } = parseCidr(formatCidr(cidr)) ?? cidr;
  const size = 1n << BigInt((address.family === 4 ? 32 : 128) - prefixLength);
  return { first: address.bits, last: address.bits + size - 1n };
}

function without({ first, last }: Range, hole: Range): readonly Range[] {
  if (hole.last < first || last < hole.first) return [{ first, last }];
  return [
    { first, last: hole.first - 1n },
    { first: hole.last + 1n, last },
  ].filter((part) => part.first <= part.last);
}
