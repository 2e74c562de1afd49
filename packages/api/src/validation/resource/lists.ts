/** Lists of which there may be only so many: of one that is longer no item is checked. */
import { field } from "@coxswain/machinery";
import type { Errors } from "../checks.ts";

export interface ListRules<T> {
  /** How many items there may be. */
  readonly max: number;
  readonly validate: (out: Errors, path: string, item: T) => void;
}

export interface Keys<T> {
  readonly keyOf: (item: T) => string;
  /** How Kubernetes prints a key; default: as it is. */
  readonly shown?: (item: T) => unknown;
}

export interface SetRules<T> extends ListRules<T>, Keys<T> {}

export function validateList<T>(out: Errors, path: string, items: readonly T[], { max, validate }: ListRules<T>): boolean {
  if (items.length > max) {
    out.push(field.tooMany(path, items.length, max));
    return false;
  }
  for (const [i, item] of items.entries()) validate(out, `${path}[${i}]`, item);
  return true;
}

/** Also no two with the same key. */
export function validateSet<T>(out: Errors, path: string, items: readonly T[], rules: SetRules<T>): void {
  if (validateList(out, path, items, rules)) refuseDuplicates(out, path, items, rules);
}

export function refuseDuplicates<T>(out: Errors, path: string, items: readonly T[], { keyOf, shown = keyOf }: Keys<T>): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) out.push(field.duplicate(`${path}[${i}]`, shown(item)));
    seen.add(key);
  }
}

export const itself = (item: string): string => item;
