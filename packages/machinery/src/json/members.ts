import { NumberLiteral } from "../types/number-literal.ts";

/**
 * Adds a member that may be there already. With `merge`, two objects become one, as when Go decodes the second
 * into the struct or map that the first filled. A key `__proto__` becomes an own property like any other.
 */
export function mergeMember(object: Record<string, unknown>, key: string, value: unknown, duplicates: "merge" | "last"): void {
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  const merged = duplicates === "merge" && isObjectNotNumber(before) && isObjectNotNumber(value) ? mergeObjects(before, value) : value;
  setMember(object, key, merged);
}

/** Sets a member as an own property, whatever its key is: `__proto__`, too. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function mergeObjects(into: Record<string, unknown>, from: Record<string, unknown>): Record<string, unknown> {
  for (const key of Object.keys(from)) mergeMember(into, key, from[key], "merge");
  return into;
}

const isObjectNotNumber = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
