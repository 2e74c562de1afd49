/** Custom objects have no type that says an order: their keys are kept, and so sent, in the order of the alphabet. */
import { compareBytes } from "@coxswain/machinery";

/** The value with the keys of its objects in order; the very value where they are already. The argument stays as it is. */
export function withSortedKeys<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  return (Array.isArray(value) ? sortedItems(value) : sortedMembers(value as Readonly<Record<string, unknown>>)) as T;
}

function sortedItems(list: readonly unknown[]): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [i, item] of list.entries()) {
    const sorted = withSortedKeys(item);
    if (sorted === item) continue;
    changed ??= [...list];
    changed[i] = sorted;
  }
  return changed ?? list;
}

function sortedMembers(object: Readonly<Record<string, unknown>>): object {
  let changed = false;
  let before: string | undefined;
  const members: [string, unknown][] = [];
  for (const key of Object.keys(object)) {
    const member = withSortedKeys(object[key]);
    if (member !== object[key] || (before !== undefined && compareBytes(before, key) > 0)) changed = true;
    members.push([key, member]);
    before = key;
  }
  return changed ? Object.fromEntries(members.sort(([a], [b]) => compareBytes(a, b))) : object;
}
