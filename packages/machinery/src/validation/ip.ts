/**
 * IP addresses and CIDRs as Kubernetes validates them. Go's parser is lenient in two ways that old fields still accept:
 * leading zeros in IPv4 numbers, and IPv4 addresses written as IPv6 (`::ffff:1.2.3.4`).
 * Each function returns Kubernetes' messages, none when the value is valid.
 * @see https://kep.k8s.io/4858
 */
import { goQuote } from "../go/quote.ts";
import { formatCidr, formatIp, ipv4PrefixLength, masked, parseCidr, parseIp } from "../net/ip.ts";

const notAnIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const notACidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** For new fields: one spelling only. */
export function validateIp(value: string): string[] {
  const problems = validateLegacyIp(value, { strict: true });
  const ip = parseIp(value);
  if (problems.length > 0 || ip === undefined || formatIp(ip) === value) return problems;
  return [`must be in canonical form (${goQuote(formatIp(ip))})`];
}

/** For fields older than strict checking; not strict, they also take leading zeros and IPv4 mapped to IPv6. */
export function validateLegacyIp(value: string, opts: { readonly strict?: boolean } = {}): string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [notAnIp];
  if (opts.strict !== true) return [];
  if (ip.leadingZeros) return ["must not have leading 0s"];
  return ip.mapped ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

/** Returns what is wrong with an IPv4 address; one mapped into IPv6 counts as IPv4. */
export const validateIpv4 = (value: string): string[] => (parseIp(value)?.family === 4 ? [] : ["must be a valid IPv4 address"]);

/** Returns what is wrong with an IPv6 address. */
export const validateIpv6 = (value: string): string[] => (parseIp(value)?.family === 6 ? [] : ["must be a valid IPv6 address"]);

/** Returns what is wrong with a CIDR, which must be in its canonical form. */
export function validateCidr(value: string): string[] {
  const problems = validateLegacyCidr(value, { strict: true });
  const cidr = parseCidr(value);
  if (problems.length > 0 || cidr === undefined || formatCidr(cidr) === value) return problems;
  return [`must be in canonical form (${goQuote(formatCidr(cidr))})`];
}

/** Returns what is wrong with a CIDR by the rule of old fields; `strict` refuses leading zeros and bits behind the prefix, too. */
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
