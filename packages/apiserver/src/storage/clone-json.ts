import { badRequest, maxJsonDepth } from "@coxswain/machinery";

/**
 * A deep copy of a JSON value: what a patch leaves alone it shares with the current object, which other requests read.
 * @throws badRequest() when patches have made it deeper than a body may be
 */
export function cloneJson<T>(value: T): T {
  return clone(value, 0) as T;
}

function clone(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxJsonDepth) throw badRequest("exceeded max depth");
  if (Array.isArray(value)) return value.map((item) => clone(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: clone(entry, depth + 1), enumerable: true, configurable: true, writable: true });
    else copy[key] = clone(entry, depth + 1);
  }
  return copy;
}
