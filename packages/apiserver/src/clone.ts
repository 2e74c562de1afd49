/** A deep copy of a JSON value: what a patch leaves alone it shares with the current object, which is everybody's. */
export function cloneJson<T>(value: T): T {
  return clone(value) as T;
}

function clone(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(clone);
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: clone(entry), enumerable: true, configurable: true, writable: true });
    else copy[key] = clone(entry);
  }
  return copy;
}
