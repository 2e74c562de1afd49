/**
 * Lists that are sets hold nothing twice, and lists that are maps no two items with the same keys.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
import { canonicalJson } from "../../apply/canonical-value.ts";
import type { FieldError } from "../../field-error.ts";
import { getOwn, isObject, type JsonObject } from "../../patch/json-object.ts";
import { entryOf, fieldPath, type Path, propertyOf } from "../field-path.ts";
import type { SchemaNode } from "../node.ts";
import { duplicateValue, invalidValue } from "./problem.ts";

export function checkLists(node: SchemaNode, value: unknown, path: Path | undefined, errors: FieldError[]): void {
  if (!node.hasLists || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (node.list !== undefined) checkList(node.list, value, path, errors);
    const { items } = node;
    if (items?.hasLists) for (const [i, item] of value.entries()) checkLists(items, item, entryOf(path, i), errors);
    return;
  }
  const object = value as JsonObject;
  for (const key in object) {
    const property = node.properties.get(key);
    const child = property ?? node.additional;
    if (child?.hasLists) checkLists(child, object[key], property === undefined ? entryOf(path, key) : propertyOf(path, key), errors);
  }
}

function checkList(list: NonNullable<SchemaNode["list"]>, items: readonly unknown[], path: Path | undefined, errors: FieldError[]): void {
  if (list.type === "map") {
    const stranger = items.findIndex((item) => item !== null && !isObject(item));
    if (stranger >= 0) {
      errors.push(invalidValue(fieldPath(entryOf(path, stranger)), items[stranger], "must be an object for an array of list-type map"));
      return;
    }
  }
  if (items.length < 2) return;
  const keys = list.type === "set" ? items : items.map((item) => keysOf(item, list.keys));
  for (const i of findRepeated(keys)) errors.push(duplicateValue(fieldPath(entryOf(path, i)), keys[i]));
}

/** Keys that are missing are left out. */
function keysOf(item: unknown, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  if (isObject(item)) for (const name of names) if (Object.hasOwn(item, name)) keys[name] = getOwn(item, name);
  return keys;
}

/** Where each value stands that was there before, the second time only. */
function findRepeated(values: readonly unknown[]): readonly number[] {
  const seen = new Map<string, number>();
  const repeated: number[] = [];
  for (const [i, value] of values.entries()) {
    const text = typeof value === "string" ? `"${value}` : canonicalJson(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) repeated.push(i);
  }
  return repeated;
}
