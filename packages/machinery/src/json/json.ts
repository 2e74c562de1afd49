/**
 * JSON with 64-bit integers: what a double cannot hold exactly is a bigint in memory and plain digits on the wire.
 *
 * JSON.parse does the work. One scan of the text shows whether it may have lost something (a long number, an exponent, a
 * repeated key, half a character, too much depth), and only then a slower reader reads the text again, exactly as Go does.
 */

import type { DecodeReport } from "../types/decode-report.ts";
import { settleNumbers } from "../types/number-literal.ts";
import type { Type } from "../types/type.ts";
import { DecodeError } from "../values/decode-error.ts";
import { type DuplicateKeys, readJson } from "./json-reader.ts";
import { decodeUtf8 } from "./utf8.ts";

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** How `parseJson` treats repeated keys, and by which type it reads numbers. */
export interface ParseOptions {
  /** Gets the repeated keys. */
  readonly report?: DecodeReport;
  /** `merge`: objects under a repeated key become one, as Go decodes typed objects. `last`: the last one wins, as in maps. */
  readonly duplicates?: DuplicateKeys;
  /** What the value is decoded by afterwards: then numbers that Go takes for no integer, as `1.0`, are refused where one is wanted. */
  readonly type?: Type | undefined;
}

/**
 * Go goes ten times as deep, but nothing that is meant well does, and each step of whatever walks through an object
 * takes room on the stack.
 */
export const maxJsonDepth = 1_000;

/**
 * Parses JSON as Go's encoding/json does, with its messages, but at most `maxJsonDepth` deep. Bytes are UTF-8. Integers within
 * int64 stay exact; by `type`, further numbers do.
 * @throws DecodeError with the message of Go's JSON scanner
 */
export function parseJson(input: string | Uint8Array, { report, duplicates = "merge", type }: ParseOptions = {}): unknown {
  const text = typeof input === "string" ? input : decodeUtf8(input);
  const literals = type !== undefined;
  const value = parseExactly(text, { fractions: !literals });
  if (value !== undefined) return value;
  const read = readJson(text, { duplicates, report, literals });
  return literals ? settleNumbers(type, read) : read;
}

/** Like JSON.stringify, but bigints become integer literals. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, v) => (typeof v === "bigint" ? JSON.rawJSON(String(v)) : v), indent);
  }
}

/**
 * With the escapes that Go writes, so that who compares bytes finds the same: what HTML would mistake for something else,
 * and what JavaScript once took for ends of lines.
 */
export const stringifyAsGo = (value: unknown): string =>
  stringifyJson(value).replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * What JSON.parse makes of a text in which it loses nothing; undefined for all others. `fractions`: whether a number may have one.
 * @throws DecodeError for what is too deep
 */
export function parseExactly(text: string, { fractions }: { readonly fractions: boolean }): unknown {
  const value = tryParse(text);
  if (value === undefined || halfCharacter.test(text)) return undefined;
  const { members, longNumber, fraction, exponent } = scan(text);
  return !longNumber && !exponent && (fractions || !fraction) && members === countMembers(value) ? value : undefined;
}

/** An escape that may stand for half a character, which no other client could read if it were kept. */
const halfCharacter = /\\u[dD][89a-fA-F]/;

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Scanned {
  readonly members: number;
  readonly longNumber: boolean;
  readonly fraction: boolean;
  readonly exponent: boolean;
}

/** Of a text that is known to be JSON. */
function scan(text: string): Scanned {
  let members = 0;
  let depth = 0;
  let digits = 0;
  let longNumber = false;
  let fraction = false;
  let exponent = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) {
      if (++digits >= 16) longNumber = true;
      continue;
    }
    if (code === 0x2e) fraction = true;
    else if ((code | 0x20) === 0x65 && digits > 0) exponent = true;
    digits = 0;
    if (code === quote) i = endOfString(text, i);
    else if (code === 0x3a) members++;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxJsonDepth) throw new DecodeError(`invalid character '${text.charAt(i)}' exceeded max depth`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return { members, longNumber, fraction, exponent };
}

const quote = 0x22;
const backslash = 0x5c;

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const rest: object[] = [value];
  let members = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (Array.isArray(next)) {
      for (let i = 0; i < next.length; i++) {
        const item: unknown = next[i];
        if (typeof item === "object" && item !== null) rest.push(item);
      }
    } else members += countOwn(next as Readonly<Record<string, unknown>>, rest);
  }
  return members;
}

function countOwn(object: Readonly<Record<string, unknown>>, rest: object[]): number {
  let members = 0;
  for (const key in object) {
    members++;
    const value = object[key];
    if (typeof value === "object" && value !== null) rest.push(value);
  }
  return members;
}
