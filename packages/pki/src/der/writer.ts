/** Writes ASN.1 in its distinguished encoding: as much of it as a certificate needs. */

type Bytes = Uint8Array;

function tlv(tag: number, ...parts: readonly Bytes[]): Bytes {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return concat([Uint8Array.of(tag), lengthOf(length), ...parts]);
}

function concat(parts: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

function lengthOf(length: number): Bytes {
  if (length < 0x80) return Uint8Array.of(length);
  const bytes = base256(length);
  return Uint8Array.of(0x80 | bytes.length, ...bytes);
}

/** Big-endian, without leading zeros. */
function base256(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

export const sequence = (...parts: readonly Bytes[]): Bytes => tlv(0x30, ...parts);
export const set = (...parts: readonly Bytes[]): Bytes => tlv(0x31, ...parts);
export const boolean = (value: boolean): Bytes => tlv(0x01, Uint8Array.of(value ? 0xff : 0));
export const octetString = (content: Bytes): Bytes => tlv(0x04, content);
export const utf8String = (text: string): Bytes => tlv(0x0c, utf8(text));

/** A positive number, given big-endian. */
export function integer(value: Bytes): Bytes {
  const start = value.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Uint8Array.of(0) : value.subarray(start);
  return tlv(0x02, ...((digits[0] ?? 0) >= 0x80 ? [Uint8Array.of(0)] : []), digits);
}

/** `unused` counts the bits at the end that mean nothing. */
export const bitString = (content: Bytes, unused = 0): Bytes => tlv(0x03, Uint8Array.of(unused), content);

export function objectIdentifier(dotted: string): Bytes {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tlv(0x06, Uint8Array.of(first * 40 + second, ...rest.flatMap(base128)));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}

/** Certificates say years before 2050 with two digits, later ones with four (RFC 5280, 4.1.2.5). */
export function time(epochMs: number): Bytes {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
  return digits < "2050" ? tlv(0x17, utf8(digits.slice(2))) : tlv(0x18, utf8(digits));
}

/** `[n] EXPLICIT`: wraps. */
export const explicit = (n: number, ...parts: readonly Bytes[]): Bytes => tlv(0xa0 | n, ...parts);
/** `[n] IMPLICIT` of something primitive: replaces its tag. */
export const implicit = (n: number, content: Bytes): Bytes => tlv(0x80 | n, content);
