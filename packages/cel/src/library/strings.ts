/**
 * Functions on strings, in the version that Kubernetes has: without `reverse`. Positions count code points.
 * @see https://github.com/google/cel-go/tree/master/ext#strings
 */

import { intAt, listAt, stringAt } from "../define/argument.ts";
import { traversesFirst, traversesItems } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { dynType, intType, listOf, stringType } from "../types/type.ts";
import { ArrayList } from "../values/collections.ts";
import { indexOfRunes, lastIndexOfRunes, runeCount, sliceRunes } from "../values/runes.ts";
import { CelError, type CelList, type CelValue } from "../values/value.ts";
import { literalFormats } from "./format-check.ts";
import { formatString } from "./format-string.ts";
import { joins, quotes, replaces, splits } from "./strings-cost.ts";

const text = [stringType];
const texts = [stringType, stringType];
const list = listOf(stringType);

/**
 * The strings extension of CEL: `charAt`, `indexOf`, `format` and others.
 * @see https://github.com/google/cel-go/tree/master/ext#strings
 */
export const strings: CelLibrary = {
  name: "cel.lib.ext.strings",
  validators: [literalFormats],
  functions: functionsOf({
    charAt: [method("string_char_at_int", [stringType, intType], stringType, (args) => charAt(stringAt(args, 0), intAt(args, 1)))],
    indexOf: [
      {
        ...method("string_index_of_string", texts, intType, (args) => indexOf(stringAt(args, 0), stringAt(args, 1), 0n)),
        ...traversesItems,
      },
      { ...method("string_index_of_string_int", [...texts, intType], intType, from(indexOf)), ...traversesItems },
    ],
    lastIndexOf: [
      {
        ...method("string_last_index_of_string", texts, intType, (args) => lastIndexOf(stringAt(args, 0), stringAt(args, 1))),
        ...traversesItems,
      },
      { ...method("string_last_index_of_string_int", [...texts, intType], intType, from(lastIndexOfFrom)), ...traversesItems },
    ],
    lowerAscii: [onText("string_lower_ascii", (s) => s.replace(/[A-Z]+/g, (part) => part.toLowerCase()))],
    upperAscii: [onText("string_upper_ascii", (s) => s.replace(/[a-z]+/g, (part) => part.toUpperCase()))],
    trim: [onText("string_trim", trim)],
    replace: [
      { ...method("string_replace_string_string", [...texts, stringType], stringType, (args) => replaceIn(args, -1n)), ...replaces },
      {
        ...method("string_replace_string_string_int", [...texts, stringType, intType], stringType, (args) =>
          replaceIn(args, intAt(args, 3)),
        ),
        ...replaces,
      },
    ],
    split: [
      { ...method("string_split_string", texts, list, (args) => splitUp(args, -1n)), ...splits },
      { ...method("string_split_string_int", [...texts, intType], list, (args) => splitUp(args, intAt(args, 2))), ...splits },
    ],
    substring: [
      { ...method("string_substring_int", [stringType, intType], stringType, substring), ...traversesFirst(1, true) },
      { ...method("string_substring_int_int", [stringType, intType, intType], stringType, substring), ...traversesFirst(1, true) },
    ],
    join: [
      { ...method("list_join", [list], stringType, (args) => join(listAt(args, 0), "")), ...joins },
      { ...method("list_join_string", [list, stringType], stringType, (args) => join(listAt(args, 0), stringAt(args, 1))), ...joins },
    ],
    format: [
      {
        ...method("string_format", [stringType, listOf(dynType)], stringType, (args) => formatString(stringAt(args, 0), listAt(args, 1))),
        ...traversesFirst(),
      },
    ],
    "strings.quote": [{ ...plain("strings_quote", text, stringType, (args) => quote(stringAt(args, 0))), ...quotes }],
  }),
};

function onText(id: string, change: (text: string) => string): CelOverload {
  return { ...method(id, text, stringType, (args) => change(stringAt(args, 0))), ...traversesFirst(1, true) };
}

function from(search: (text: string, part: string, start: bigint) => bigint): CelOverload["call"] {
  return (args) => search(stringAt(args, 0), stringAt(args, 1), intAt(args, 2));
}

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  if (index < 0n || index > runeCount(text)) throw outOfRange(index);
  return sliceRunes(text, Number(index), Number(index) + 1);
}

function indexOf(text: string, part: string, start: bigint): bigint {
  if (part === "") return start;
  if (start < 0n) throw outOfRange(start);
  return start >= runeCount(text) ? -1n : BigInt(indexOfRunes(text, part, Number(start)));
}

const lastIndexOf = (text: string, part: string): bigint => {
  const size = BigInt(runeCount(text));
  if (part === "") return size;
  return size === 0n ? -1n : lastIndexOfFrom(text, part, size - 1n);
};

function lastIndexOfFrom(text: string, part: string, start: bigint): bigint {
  if (part === "") return start;
  if (start < 0n) throw outOfRange(start);
  return start >= runeCount(text) ? -1n : BigInt(lastIndexOfRunes(text, part, Number(start)));
}

/** What Unicode calls white space; a loop, because a pattern would go back and forth. */
function trim(text: string): string {
  const isSpace = (index: number): boolean => /\p{White_Space}/u.test(text[index] ?? "");
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(start)) start++;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

/** At most `limit` times, or always when that is negative. */
function replaceIn(args: readonly CelValue[], limit: bigint): string {
  const text = stringAt(args, 0);
  const old = stringAt(args, 1);
  const replacement = stringAt(args, 2);
  if (limit === 0n) return text;
  if (old === "") return insertBetween(text, replacement, limit);
  return joinAll(limit < 0n ? text.split(old) : splitAt(text, old, limit + 1n), replacement);
}

/** Before every character, and at the end. */
function insertBetween(text: string, replacement: string, limit: bigint): string {
  const count = runeCount(text);
  const places = limit < 0n || limit > count ? count + 1 : Number(limit);
  const chars = Array.from(sliceRunes(text, 0, places));
  const rest = sliceRunes(text, chars.length);
  return joinAll(places > count ? ["", ...chars, ""] : ["", ...chars.slice(0, -1), `${chars.at(-1) ?? ""}${rest}`], replacement);
}

/** Costs are charged for what goes into a function: what comes out must not fill the memory. */
const maxResultLength = 64 * 1024 * 1024;

function joinAll(parts: readonly string[], separator: string): string {
  const length = parts.reduce((sum, part) => sum + part.length, separator.length * Math.max(0, parts.length - 1));
  if (length > maxResultLength) throw new CelError("the resulting string is too long");
  return parts.join(separator);
}

function splitUp(args: readonly CelValue[], limit: bigint): CelList {
  const text = stringAt(args, 0);
  const separator = stringAt(args, 1);
  if (limit === 0n) return new ArrayList([]);
  if (separator !== "") return new ArrayList(limit < 0n ? text.split(separator) : splitAt(text, separator, limit));
  const count = runeCount(text);
  if (limit < 0n || limit >= count) return new ArrayList(Array.from(text));
  const last = Number(limit) - 1;
  return new ArrayList([...Array.from(sliceRunes(text, 0, last)), sliceRunes(text, last)]);
}

/** Into at most `limit` parts, the last of which holds the rest. */
function splitAt(text: string, separator: string, limit: bigint): string[] {
  const parts: string[] = [];
  let start = 0;
  while (parts.length + 1 < limit) {
    const end = text.indexOf(separator, start);
    if (end < 0) break;
    parts.push(text.slice(start, end));
    start = end + separator.length;
  }
  return [...parts, text.slice(start)];
}

function substring(args: readonly CelValue[]): string {
  const text = stringAt(args, 0);
  const start = intAt(args, 1);
  const size = BigInt(runeCount(text));
  const end = args.length > 2 ? intAt(args, 2) : size;
  if (args.length > 2 && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) throw outOfRange(start);
  if (end > size) throw outOfRange(end);
  return sliceRunes(text, Number(start), Number(end));
}

function join(items: CelList, separator: string): string {
  const parts: string[] = [];
  for (const item of items) {
    if (typeof item !== "string") throw new CelError(`join: invalid input: ${item}`);
    parts.push(item);
  }
  return joinAll(parts, separator);
}

const escapes: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const quote = (text: string): string => `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (char) => escapes[char] ?? char).toWellFormed()}"`;
