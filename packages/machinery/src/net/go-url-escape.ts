/** Percent-encoding as Go's net/url does it: each part of a URL has characters of its own that stand for themselves. */
import { goQuote } from "../go/quote.ts";

export type UrlPart = "path" | "host" | "zone" | "user" | "query" | "fragment";

/** The part of the URL that is wrong is known only further up. */
export class UrlProblem extends Error {}

const host = /[A-Za-z0-9!"$&'()*+,\-.:;<=>[\]_~]/;
const plainCharacters: Readonly<Record<UrlPart, RegExp>> = {
  path: /[A-Za-z0-9$&+,\-./:;=@_~]/,
  host,
  zone: host,
  user: /[A-Za-z0-9$&+,\-.;=_~]/,
  query: /[A-Za-z0-9\-._~]/,
  fragment: /[A-Za-z0-9!$&()*+,\-./:;=?@_~]/,
};

/** @throws UrlProblem */
export function percentDecode(text: string, part: UrlPart): string {
  check(text, part);
  const plus = part === "query" ? text.replaceAll("+", " ") : text;
  return plus.replace(/(%[0-9A-Fa-f]{2})+/g, decode);
}

export const percentEncode = (text: string, part: UrlPart): string =>
  text.replace(/[\s\S]/gu, (char) => (plainCharacters[part].test(char) ? char : encode(char)));

/** The text as it is when it may stand so, else unescaped and escaped again. @throws UrlProblem */
export function encodedAgain(text: string, part: "path" | "fragment"): string {
  check(text, part);
  const plain = plainCharacters[part];
  if (![...text].some((char) => !plain.test(char) && !/[!'()*[\]%]/.test(char))) return text;
  return text.replace(/%[0-9A-Fa-f]{2}|[\s\S]/gu, (piece) => {
    if (piece.length !== 3) return plain.test(piece) ? piece : encode(piece);
    const char = String.fromCharCode(Number.parseInt(piece.slice(1), 16));
    return plain.test(char) ? char : piece.toUpperCase();
  });
}

function check(text: string, part: UrlPart): void {
  const isHost = part === "host" || part === "zone";
  for (const [piece] of text.matchAll(/%[\s\S]{0,2}|[^%]/gu)) {
    if (piece.startsWith("%")) checkEscape(piece, part);
    else if (isHost && piece < "\x80" && !host.test(piece)) throw new UrlProblem(`invalid character ${goQuote(piece)} in host name`);
  }
}

/** In hosts only what is not ASCII may be escaped, and `%` in zones. */
function checkEscape(piece: string, part: UrlPart): void {
  const byte = /^%[0-9A-Fa-f]{2}$/.test(piece) ? Number.parseInt(piece.slice(1), 16) : undefined;
  const badInHost = part === "host" && byte !== undefined && byte < 0x80 && piece !== "%25";
  const badInZone = part === "zone" && byte !== undefined && piece !== "%25" && byte !== 0x20 && !host.test(String.fromCharCode(byte));
  if (byte === undefined || badInHost || badInZone) throw new UrlProblem(`invalid URL escape ${goQuote(piece)}`);
}

/** Bytes that are no UTF-8 become U+FFFD. */
function decode(escapes: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Uint8Array.from(escapes.slice(1).split("%"), (hex) => Number.parseInt(hex, 16)),
  );
}

function encode(char: string): string {
  return Array.from(new TextEncoder().encode(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
