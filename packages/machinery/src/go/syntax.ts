/** Values as Go's `fmt` prints them, for texts that clients compare. */

import { compareBytes } from "../values/canonical-json.ts";
import { isObject } from "../values/json-object.ts";
import { goQuote } from "./quote.ts";
import { goTypeOf } from "./value.ts";

/** As `%v` prints a float64: with an exponent from a million on. */
export function goDouble(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** As `%#v` prints what JSON holds. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort(compareBytes);
  return `${goTypeOf(value)}{${names.map((name) => `${goQuote(name)}:${goSyntax(value[name])}`).join(", ")}}`;
}

/** As `%q` prints a list of strings. */
export const formatGoStrings = (texts: readonly string[]): string => `[${texts.map(goQuote).join(" ")}]`;
