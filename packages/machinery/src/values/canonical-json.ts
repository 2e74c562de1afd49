/** The values in path elements: one text for each, one order over all. Numbers are doubles there, as in Go's decoder. */
import { isObject } from "./json-object.ts";

/** JSON without spaces, keys sorted, with the escapes that Go uses: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quoteJson(value);
    case "number":
      return JSON.stringify(value).replace(/e-(\d)$/, "e-0$1");
    case "bigint":
      return String(value);
    case "boolean":
      return value ? "true" : "false";
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return "null";
  const names = Object.keys(value).sort(compareBytes);
  return `{${names.map((name) => `${quoteJson(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}

const unusual = /[<>&\u2028\u2029\b\f]/;

function quoteJson(text: string): string {
  const quoted = JSON.stringify(text);
  return unusual.test(text) ? quoted.replace(/\\.|[<>&\u2028\u2029]/g, escapeForGo) : quoted;
}

function escapeForGo(token: string): string {
  if (token === "\\b") return "\\u0008";
  if (token === "\\f") return "\\u000c";
  return token.length > 1 ? token : `\\u${token.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The order of the UTF-8 bytes, which differs from JavaScript's where characters beyond the first plane are concerned. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return left < 0xd800 || right < 0xd800 ? left - right : afterSurrogates(left) - afterSurrogates(right);
  }
  return a.length - b.length;
}

/** Where the characters that surrogates stand for belong: after all others. */
const afterSurrogates = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000);

/** Numbers before strings, booleans, lists, objects and null. */
export function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return compareBytes(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) return compareObjectValues(a, b);
  return rank === nullRank ? 0 : order(a, b);
}

const nullRank = 5;

function rankOf(value: unknown): number {
  switch (typeof value) {
    case "number":
    case "bigint":
      return 0;
    case "string":
      return 1;
    case "boolean":
      return 2;
  }
  if (Array.isArray(value)) return 3;
  return isObject(value) ? 4 : nullRank;
}

const order = (a: unknown, b: unknown): number => {
  const left = Number(a);
  const right = Number(b);
  return left < right ? -1 : left > right ? 1 : 0;
};

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const result = compareValues(a[i], b[i]);
    if (result !== 0) return result;
  }
  return a.length - b.length;
}

function compareObjectValues(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const left = Object.keys(a).sort(compareBytes);
  const right = Object.keys(b).sort(compareBytes);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const name = left[i] ?? "";
    const result = compareBytes(name, right[i] ?? "") || compareValues(a[name], b[name]);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}
