/**
 * Addresses in fields of core kinds: what may stand there and what is only warned about.
 * @see https://kep.k8s.io/4858
 */
import { field, formatCidr, formatIp, goQuote, type IpAddress, isLegacyCidr, isLegacyIp, parseCidr, parseIp } from "@coxswain/machinery";
import { type Errors, refuse } from "../../pod/checks.ts";

export const checkIp = (out: Errors, path: string, value: string): void => refuse(out, path, value, isLegacyIp(value, { strict: true }));

export const checkCidr = (out: Errors, path: string, value: string): void =>
  refuse(out, path, value, isLegacyCidr(value, { strict: true }));

/** For addresses that traffic is sent to: those with a special meaning lead nowhere, or somewhere they must not. */
export function checkEndpointIp(out: Errors, path: string, value: string): void {
  const ip = parseIp(value);
  if (ip === undefined) out.push(field.invalid(path, value, "must be a valid IP address"));
  else for (const problem of specialUse(ip, value)) out.push(field.invalid(path, value, problem));
}

function* specialUse({ family, bits }: IpAddress, value: string): Generator<string> {
  const v4 = family === 4;
  const startsWith = (prefix: bigint, length: number): boolean => bits >> BigInt((v4 ? 32 : 128) - length) === prefix;
  if (bits === 0n) yield `may not be unspecified (${value})`;
  if (v4 ? startsWith(127n, 8) : bits === 1n) yield "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  if (v4 ? startsWith(0xa9fen, 16) : startsWith(0xfe80n >> 6n, 10)) yield "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
  if (v4 ? startsWith(0xe00000n, 24) : ((bits >> 112n) & 0xff0fn) === 0xff02n) {
    yield "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
  }
}

/** For spellings that Go reads but that are not the one true form. */
export function ipWarnings(path: string, value: string): readonly string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [];
  const canonical = formatIp(ip);
  if (ip.leadingZeros || ip.mapped) return [`${path}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(canonical)}`];
  if (ip.family === 4 || canonical === value) return [];
  return [`${path}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`];
}

export function cidrWarnings(path: string, value: string): readonly string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined || cidr.address.family === 4) return [];
  const canonical = formatCidr(cidr);
  if (canonical === value) return [];
  return [`${path}: IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`];
}
