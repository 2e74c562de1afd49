/** Values and their types as Go's fmt prints them after decoding JSON: the texts of patch errors. */
import { isObject } from "../values/json-object.ts";

/** As `%v` prints it: `map[a:1 b:[x y]]`, keys sorted. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `map[${keys.map((key) => `${key}:${formatGoValue(value[key])}`).join(" ")}]`;
  }
  return typeof value === "number" ? formatNumber(value) : String(value);
}

/** Go changes to exponents below 1e-4 and from 1e21 on, with two digits at least. */
function formatNumber(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** As `%s` prints it, which suits strings only. */
export function formatGoString(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "%!s(<nil>)";
  return typeof value === "object" ? formatGoValue(value) : `%!s(${goTypeOf(value)}=${formatGoValue(value)})`;
}

/** As `%s` prints a type that reflection found. */
export const goTypeOf = (value: unknown): string => (value === null || value === undefined ? "%!s(<nil>)" : goDynamicType(value));

/** As `%T` prints the type of a decoded value. */
export function goDynamicType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

/** What Go's JSON decoder calls a value that does not fit. */
export function goJsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "number";
    default:
      return "object";
  }
}
