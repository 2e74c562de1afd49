import { goTypeOf } from "../go/value.ts";
import type { ScalarType, Type } from "./type.ts";

/**
 * How Kubernetes words that a value does not fit where it copies it into a struct by reflection. Undefined for types that
 * read themselves, which use JSON there too, and for numbers that do fit in Go's eyes.
 */
export function restoreProblem(value: unknown, type: Type): string | undefined {
  switch (type.kind) {
    case "map":
      return `cannot restore map from ${reflectKindOf(value)}`;
    case "list":
      return `cannot restore slice from ${reflectKindOf(value)}`;
    case "struct":
      return `cannot restore struct from: ${reflectKindOf(value)}`;
    case "scalar":
      return scalarProblem(goTypeOf(value), type);
  }
}

/** Go could make a string of an integer and an integer of a float; Kubernetes does not, and says so differently. */
function scalarProblem(from: string, { scalar }: ScalarType): string | undefined {
  const to = goScalars[scalar];
  if (to === undefined) return undefined;
  const convertible = to === "string" ? from === "int64" : from === "float64" && to !== "bool";
  if (convertible) return `cannot convert ${from} to ${to}`;
  return from === "int64" && to !== "bool" ? undefined : `unrecognized type: ${to}`;
}

const goScalars: Partial<Record<ScalarType["scalar"], string>> = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
};

function reflectKindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  return typeof value === "object" ? "map" : goTypeOf(value);
}
