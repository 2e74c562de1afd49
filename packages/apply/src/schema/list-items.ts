/** Which item of a list is which: by its keys, or by its value where there are none. */
import { formatGoStrings, getOwn, isObject } from "@coxswain/machinery";
import { type KeyValue, keyElement, type PathElement, valueElement } from "../field-path/path-element.ts";
import type { MergeList } from "./merge-schema.ts";

/** @throws Error when the item has no key */
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

/**
 * A text that two items share exactly when they share their element, made with less work.
 * @throws Error when the item has no key
 */
export function itemSignature(list: MergeList, item: unknown): string {
  if (!isObject(item)) return typeof item === "string" && list.keys.length === 0 ? `s${item}` : itemElement(list, item).text;
  let text = "";
  for (const [i, name] of list.keys.entries()) {
    const value = getOwn(item, name) ?? list.item.map?.fields.get(name)?.default;
    if (typeof value === "string") text += `${i}s${value.length}:${value}`;
    else if (typeof value === "number") text += `${i}n${value};`;
    else if (value !== undefined) return itemElement(list, item).text;
  }
  return text === "" ? itemElement(list, item).text : text;
}
