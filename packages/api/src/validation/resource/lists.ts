/** Lists of which there may be only so many: one that is longer is not looked at any further. */
import { field } from "@coxswain/machinery";
import type { Errors } from "../checks.ts";

type Check<T> = (out: Errors, path: string, item: T) => void;

export function validateList<T>(out: Errors, path: string, items: readonly T[], max: number, check: Check<T>): boolean {
  if (items.length > max) {
    out.push(field.tooMany(path, items.length, max));
    return false;
  }
  for (const [i, item] of items.entries()) check(out, `${path}[${i}]`, item);
  return true;
}

/** Also no two with the same key; `shown` is how Kubernetes prints a key. */
export function validateSet<T>(
  out: Errors,
  path: string,
  items: readonly T[],
  max: number,
  check: Check<T>,
  keyOf: (item: T) => string,
  shown: (item: T) => unknown = keyOf,
): void {
  if (validateList(out, path, items, max, check)) refuseDuplicates(out, path, items, keyOf, shown);
}

export function refuseDuplicates<T>(
  out: Errors,
  path: string,
  items: readonly T[],
  keyOf: (item: T) => string,
  shown: (item: T) => unknown = keyOf,
): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) out.push(field.duplicate(`${path}[${i}]`, shown(item)));
    seen.add(key);
  }
}

export const itself = (item: string): string => item;
