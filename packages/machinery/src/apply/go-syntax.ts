/** Values and paths in the texts of server-side apply's errors, as Go prints them. */
import { goQuote } from "../go-format.ts";
import { goTypeOf } from "../patch/go-value.ts";
import { isObject } from "../patch/json-object.ts";
import { compareBytes } from "./canonical-value.ts";
import type { FieldPath } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** `.spec.containers[name="c"].image`; numbers are doubles, as they are once managed fields were stored. */
export const formatPath = (path: FieldPath): string => path.map((element) => formatElement(element, goDouble)).join("");

export function formatElement(element: PathElement, number: (value: number) => string = String): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`;
    case "key":
      return `[${element.keys.map(([name, value]) => `${name}=${formatValue(value, number)}`).join(",")}]`;
    case "value":
      return `[=${formatValue(element.value, number)}]`;
    case "index":
      return `[${element.index}]`;
  }
}

function formatValue(value: unknown, number: (value: number) => string): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item, number)).join(",")}]`;
  if (isObject(value))
    return Object.keys(value)
      .map((name) => `${name}=${formatValue(value[name], number)}`)
      .join("");
  return String(value);
}

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
