/** Which item of a list is which: by its keys, or by its value where there are none. */
import { getOwn, isObject } from "../patch/json-object.ts";
import { formatGoStrings } from "./go-syntax.ts";
import type { MergeList } from "./merge-schema.ts";
import { type KeyValue, keyElement, type PathElement, valueElement } from "./path-element.ts";

/** @throws Error when the item cannot be told from others */
export function itemElement(list: MergeList, item: unknown): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

/** Keys that are missing count with their defaults, and not at all where they have none. */
function keyedElement(list: MergeList, item: unknown): PathElement {
  if (item === null || item === undefined) throw new Error("associative list with keys may not have a null element");
  if (!isObject(item)) throw new Error("associative list with keys may not have non-map elements");
  const keys: KeyValue[] = [];
  for (const name of list.keys) {
    const value = getOwn(item, name) ?? list.item.map?.fields.get(name)?.default;
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0)
    throw new Error(
      `associative list with keys has an element that omits all key fields ${formatGoStrings(list.keys)} (and doesn't have default values for any key fields)`,
    );
  return keyElement(keys);
}

function setElement(item: unknown): PathElement {
  if (Array.isArray(item)) throw new Error("not supported: associative list with lists as elements");
  if (item === null || item === undefined) throw new Error("associative list without keys has an element that's an explicit null");
  if (typeof item === "object") throw new Error("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** Items by their elements' texts, in the order in which they first come; several where they repeat. */
export function itemsByElement(list: MergeList, items: readonly unknown[]): ReadonlyMap<string, Items> {
  const found = new Map<string, Items>();
  for (const item of items) {
    const element = itemElement(list, item);
    const known = found.get(element.text);
    if (known === undefined) found.set(element.text, { element, items: [item] });
    else known.items.push(item);
  }
  return found;
}

export interface Items {
  readonly element: PathElement;
  readonly items: unknown[];
}
