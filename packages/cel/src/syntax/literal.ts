/** The values of literal tokens. */
import { CelUint } from "../values/value.ts";

/** @param sign as written before the number */
export function parseIntLiteral(text: string, sign: "" | "-"): bigint | undefined {
  const value = sign === "-" ? -BigInt(text) : BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export function parseUintLiteral(text: string): CelUint | undefined {
  const value = BigInt(text.slice(0, -1));
  return BigInt.asUintN(64, value) === value ? new CelUint(value) : undefined;
}

export function parseDoubleLiteral(text: string, sign: "" | "-"): number | undefined {
  const value = Number(sign + text);
  return Number.isFinite(value) ? value : undefined;
}

/** @throws LiteralError */
export function parseStringLiteral(text: string): string {
  const { raw, body } = unquote(text);
  return raw ? body : body.replace(escapes, (sequence) => String.fromCodePoint(codePointOf(sequence)));
}

/** @throws LiteralError */
export function parseBytesLiteral(text: string): Uint8Array {
  const { raw, body } = unquote(text.slice(1));
  if (raw) return encoder.encode(body);
  const parts: number[] = [];
  let at = 0;
  for (const match of body.matchAll(escapes)) {
    parts.push(...encoder.encode(body.slice(at, match.index)));
    if (/^\\[uU]/.test(match[0])) throw new LiteralError("unable to unescape string");
    parts.push(codePointOf(match[0]));
    at = match.index + match[0].length;
  }
  parts.push(...encoder.encode(body.slice(at)));
  return Uint8Array.from(parts);
}

/** A token of the right shape that says nothing: half a surrogate pair. */
export class LiteralError extends Error {
  override readonly name = "LiteralError";
}

const encoder = new TextEncoder();
const escapes = /\\(?:[0-3][0-7]{2}|[xX].{2}|u.{4}|U.{8}|[\s\S])/g;
const named: Readonly<Record<string, number>> = { __proto__: null as never, a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Without quotes and prefix, with every line's end as a newline. */
function unquote(text: string): { readonly raw: boolean; readonly body: string } {
  const raw = /^[rR]/.test(text);
  const quoted = (raw ? text.slice(1) : text).replace(/\r\n?/g, "\n");
  const quotes = quoted.length >= 6 && /^(?:"""|''')/.test(quoted) ? 3 : 1;
  return { raw, body: quoted.slice(quotes, -quotes) };
}

function codePointOf(sequence: string): number {
  const kind = sequence.charAt(1);
  if (/[0-3]/.test(kind)) return Number.parseInt(sequence.slice(1), 8);
  if (!/[xXuU]/.test(kind)) return named[kind] ?? kind.charCodeAt(0);
  const code = Number.parseInt(sequence.slice(2), 16);
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new LiteralError("invalid unicode code point");
  return code;
}
