/** Numbers and quoted texts as Go reads them. */
import { JsonPathError } from "./node.ts";

const maxInt64 = 2n ** 63n - 1n;

/** A 64-bit integer in decimal; a bigint where a double is not exact. Undefined for anything else. */
export function goInt(text: string): number | bigint | undefined {
  const [, sign, digits] = /^([+-]?)(\d+)$/.exec(text) ?? [];
  if (digits === undefined || digits.replace(/^0+/, "").length > 19) return undefined;
  const size = BigInt(digits);
  if (size > maxInt64 + (sign === "-" ? 1n : 0n)) return undefined;
  const value = sign === "-" ? -size : size;
  return BigInt.asIntN(54, value) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const characters: Readonly<Record<string, string>> = {
  __proto__: null as never,
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};
const character = /\\(?:([abfnrtv\\'"])|(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})|([0-7]{3}))|[^\\]|\\/gsu;

/** A text in single or double quotes with Go's escapes; within, only its own kind of quote is escaped. @throws JsonPathError */
export function unquote(text: string): string {
  const quote = text.charAt(0);
  const inner = text.slice(1, -1);
  if (!inner.includes("\\") && !inner.includes(quote)) return inner;
  const syntax = new JsonPathError(`unquote string ${text} error invalid syntax`);
  return inner.replace(character, (whole, short?: string, hex?: string, octal?: string) => {
    if (short !== undefined) {
      if ("'\"".includes(short) && short !== quote) throw syntax;
      return characters[short] ?? short;
    }
    const digits = hex?.slice(1) ?? octal;
    if (digits === undefined) {
      if (whole === quote || whole === "\\") throw syntax;
      return whole;
    }
    const code = Number.parseInt(digits, octal === undefined ? 16 : 8);
    if (code > 0x10ffff || (octal !== undefined && code > 0xff)) throw syntax;
    return String.fromCodePoint(code);
  });
}
