/**
 * IP addresses and CIDRs as Kubernetes checks them. Go's parser is lenient in two ways that old fields still accept:
 * leading zeros in IPv4 numbers, and IPv4 addresses dressed as IPv6 (`::ffff:1.2.3.4`).
 * Each check returns Kubernetes' messages, none when the value is fine.
 * @see https://kep.k8s.io/4858
 */
import { goQuote } from "./go-format.ts";

export interface IpAddress {
  /** 4 also for an IPv4 address dressed as IPv6. */
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly leadingZeros: boolean;
  /** Written as IPv6 though it is an IPv4 address. */
  readonly mapped: boolean;
}

export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
  readonly leadingZeros: boolean;
}

/** Undefined when Go would not parse it either. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

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

export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.address.family !== address.family) return false;
  const bits = ipv4PrefixLength(cidr);
  return masked(cidr.address, bits) === masked(address, bits);
}

const notAnIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const notACidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** For new fields: one spelling only. */
export function validateIp(value: string): string[] {
  const problems = validateLegacyIp(value, { strict: true });
  const ip = parseIp(value);
  if (problems.length > 0 || ip === undefined || formatIp(ip) === value) return problems;
  return [`must be in canonical form (${goQuote(formatIp(ip))})`];
}

/** For fields older than strict checking; not strict, they also take leading zeros and dressed-up IPv4. */
export function validateLegacyIp(value: string, opts: { readonly strict?: boolean } = {}): string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [notAnIp];
  if (opts.strict !== true) return [];
  if (ip.leadingZeros) return ["must not have leading 0s"];
  return ip.mapped ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

export const validateIpv4 = (value: string): string[] => (parseIp(value)?.family === 4 ? [] : ["must be a valid IPv4 address"]);

export const validateIpv6 = (value: string): string[] => (parseIp(value)?.family === 6 ? [] : ["must be a valid IPv6 address"]);

export function validateCidr(value: string): string[] {
  const problems = validateLegacyCidr(value, { strict: true });
  const cidr = parseCidr(value);
  if (problems.length > 0 || cidr === undefined || formatCidr(cidr) === value) return problems;
  return [`must be in canonical form (${goQuote(formatCidr(cidr))})`];
}

export function validateLegacyCidr(value: string, opts: { readonly strict?: boolean } = {}): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [notACidr];
  if (opts.strict !== true) return [];
  if (cidr.leadingZeros) return ["must not have leading 0s in IP or prefix length"];
  if (cidr.address.mapped) return ["must not have an IPv4-mapped IPv6 address"];
  return masked(cidr.address, cidr.prefixLength) === cidr.address.bits ? [] : ["must not have bits set beyond the prefix length"];
}

/** An address with the length of its subnet, as in `192.168.1.5/24`. */
export function validateInterfaceAddress(value: string): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"];
  const canonical = `${formatIp(cidr.address)}/${ipv4PrefixLength(cidr)}`;
  return canonical === value ? [] : [`must be in canonical form (${goQuote(canonical)})`];
}

const ipv4PrefixLength = ({ address, prefixLength }: Cidr): number => (address.mapped ? Math.max(0, prefixLength - 96) : prefixLength);

function masked({ family, bits }: IpAddress, prefixLength: number): bigint {
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
