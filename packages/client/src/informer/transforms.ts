/** What becomes of objects on their way into a cache. */
import type { KubeObject } from "@coxswain/machinery";

/** A transform that forgets which manager set which field: often half of an object, and no controller's business. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields === undefined) return object;
  // Metadata made anew takes less room than metadata that something was deleted from.
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = metadata;
  return object;
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
