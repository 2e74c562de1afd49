import { NumberLiteral } from "../types/number-literal.ts";
import { getOwn, type JsonObject, setOwn } from "../values/json-object.ts";

/**
 * Adds a member that may be there already. With `merge`, two objects become one, as when Go decodes the second
 * into the struct or map that the first filled. A key `__proto__` becomes an own property like any other.
 */
export function mergeMember(object: JsonObject, key: string, value: unknown, duplicates: "merge" | "last"): void {
  const before = getOwn(object, key);
  const merged = duplicates === "merge" && isObjectNotNumber(before) && isObjectNotNumber(value) ? mergeObjects(before, value) : value;
  setOwn(object, key, merged);
}

function mergeObjects(into: JsonObject, from: JsonObject): JsonObject {
  for (const key of Object.keys(from)) mergeMember(into, key, from[key], "merge");
  return into;
}

const isObjectNotNumber = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
