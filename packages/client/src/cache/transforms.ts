/** What becomes of objects on their way into a cache. */
import type { KubeObject } from "@coxswain/machinery";

/** A transform that forgets which manager set which field: often half of an object, and no controller's business. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object;
  // A new metadata object takes less room than metadata that something was deleted from.
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = metadata;
  return object;
}

/** So many different parts are known; then sharing starts over. */
const maxShared = 4_096;

/**
 * A transform for one cache: parts of managed fields that many objects have alike, which are most of all that is kept of a
 * Pod, are kept once. What differs, as the address in a status, is two levels down.
 */
export function sharingManagedFields<T extends KubeObject>(): (object: T) => T {
  const known = new Map<string, unknown>();
  const shared = (part: unknown): unknown => {
    const text = JSON.stringify(part);
    const same = known.get(text);
    if (same !== undefined) return same;
    if (known.size >= maxShared) known.clear();
    known.set(text, part);
    return part;
  };
  // Made of entries, since a field may be called `__proto__`.
  const sharedBelow = (part: object, depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(part).map(([name, below]) => {
        const goesDeeper = depth > 0 && typeof below === "object" && below !== null && !Array.isArray(below);
        return [name, goesDeeper ? sharedBelow(below, depth - 1) : shared(below)];
      }),
    );
  return (object) => {
    const { managedFields } = object.metadata ?? {};
    if (managedFields === undefined) return object;
    const entries = managedFields.map((entry) =>
      entry.fieldsV1 === undefined ? entry : { ...entry, fieldsV1: sharedBelow(entry.fieldsV1, 1) },
    );
    object.metadata = { ...object.metadata, managedFields: entries };
    return object;
  };
}

/** Changes nothing but that nothing can be changed any more. */
export function deepFreeze<T>(value: T): T {
  freeze(value);
  return value;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) freeze(item);
  else for (const key in value) freeze((value as Readonly<Record<string, unknown>>)[key]);
}
