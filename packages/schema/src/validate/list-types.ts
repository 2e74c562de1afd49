/**
 * Lists that are sets hold nothing twice, and lists that are maps no two items with the same keys.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */

import type { FieldError } from "@coxswain/machinery";
import { canonicalJson, getOwn, isObject, type JsonObject } from "@coxswain/machinery";
import { entryOf, fieldPath, type Path, propertyOf } from "../structural/field-path.ts";
import type { SchemaNode } from "../structural/node.ts";
import { duplicateValue, invalidValue } from "./problem.ts";

/** Whether there is nothing wrong, with as little work as there can be. */
export function acceptsLists(node: SchemaNode, value: unknown): boolean {
  if (!node.hasLists || typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    const { list, items } = node;
    if (list !== undefined && findListError(list, value) !== undefined) return false;
    return items?.hasLists !== true || value.every((item) => acceptsLists(items, item));
  }
  const object = value as JsonObject;
  for (const key in object) {
    const child = node.properties.get(key) ?? node.additional;
    if (child?.hasLists && !acceptsLists(child, object[key])) return false;
  }
  return true;
}

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

type ListKind = NonNullable<SchemaNode["list"]>;

function checkList(list: ListKind, items: readonly unknown[], path: Path | undefined, errors: FieldError[]): void {
  const error = findListError(list, items);
  if (error === undefined) return;
  if ("notObject" in error) {
    const at = fieldPath(entryOf(path, error.notObject));
    errors.push(invalidValue(at, items[error.notObject], "must be an object for an array of list-type map"));
  } else for (const i of error.repeated) errors.push(duplicateValue(fieldPath(entryOf(path, i)), error.keys(i)));
}

/** Where an item stands that is no object, or those whose keys were there before. */
type ListError = { readonly notObject: number } | { readonly keys: (i: number) => unknown; readonly repeated: readonly number[] };

function findListError(list: ListKind, items: readonly unknown[]): ListError | undefined {
  if (list.type === "map") {
    const notObject = items.findIndex((item) => item !== null && !isObject(item));
    if (notObject >= 0) return { notObject };
  }
  if (items.length < 2) return undefined;
  const identities = items.map((item) => identityOf(list, item));
  if (areDistinct(identities)) return undefined;
  return { repeated: findRepeated(identities), keys: (i) => (list.type === "set" ? items[i] : keysOf(items[i], list.keys)) };
}

/** A primitive that two items share exactly when they may not stand together. */
function identityOf(list: ListKind, item: unknown): unknown {
  if (list.type === "set") return primitiveOf(item);
  const [name, ...others] = list.keys;
  if (name === undefined) return undefined;
  if (others.length === 0) return isObject(item) ? primitiveOf(getOwn(item, name)) : undefined;
  return canonicalJson(keysOf(item, list.keys));
}

const primitiveOf = (value: unknown): unknown => (typeof value === "object" && value !== null ? `\u0000${canonicalJson(value)}` : value);

/** Looking through a few of them is faster than an index. */
const areDistinct = (values: readonly unknown[]): boolean =>
  values.length <= 8 ? values.every((value, i) => values.indexOf(value) === i) : new Set(values).size === values.length;

/** More errors are not reported. */
const maxRepeated = 1000;

/** Where each value stands that was there before, the second time only. */
function findRepeated(values: readonly unknown[]): readonly number[] {
  const seen = new Map<unknown, number>();
  const repeated: number[] = [];
  for (const [i, value] of values.entries()) {
    const times = (seen.get(value) ?? 0) + 1;
    seen.set(value, times);
    if (times === 2 && repeated.push(i) === maxRepeated) break;
  }
  return repeated;
}

/** Keys that are missing are left out. */
function keysOf(item: unknown, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  if (isObject(item)) for (const name of names) if (Object.hasOwn(item, name)) keys[name] = getOwn(item, name);
  return keys;
}
