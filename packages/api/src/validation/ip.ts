/**
 * Addresses in fields of core kinds: what may stand there and what is only warned about.
 * @see https://kep.k8s.io/4858
 */
import { field, type IpAddress, parseIp, validateLegacyCidr, validateLegacyIp } from "@coxswain/machinery";
import { addInvalid, type Errors } from "./checks.ts";
import { ratchet } from "./ratcheting.ts";

/** A value that stands in the same list already may stay, however it is spelt. */
export const validateIp = (out: Errors, path: string, value: string): void =>
  ratchet(out, kept(path, value), () => addInvalid(out, path, value, validateLegacyIp(value, { strict: true })));

export const validateCidr = (out: Errors, path: string, value: string): void =>
  ratchet(out, kept(path, value), () => addInvalid(out, path, value, validateLegacyCidr(value, { strict: true })));

const kept = (path: string, value: string): string => `${path.replaceAll(/\[\d+\]/g, "")} ${value}`;

/** For addresses that traffic is sent to: those with a special meaning lead nowhere, or somewhere they must not. */
export function validateEndpointIp(out: Errors, path: string, value: string): void {
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
