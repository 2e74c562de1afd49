/** Selecting a field or an item out of a value. */

import { runtimeTypeName } from "../types/type-text.ts";
import { mapKey } from "./collections.ts";
import { CelError, CelList, CelMap, CelObject, CelOptional, CelTypeValue, type CelValue } from "./value.ts";
import { typeOfValue } from "./value-type.ts";

/** `value.field` and `value[key]`. @throws CelError when it is not there */
export function select(value: CelValue, key: CelValue): CelValue {
  const found = resolveAttribute(value, key);
  if (found !== undefined) return found;
  if (value instanceof CelList) throw new CelError(`index out of bounds: ${showKey(key)}`);
  throw new CelError(`no such key: ${showKey(key)}`);
}

/** Undefined when it is not there. @throws CelError when there can be no such thing: a name in a list */
export function resolveAttribute(value: CelValue, key: CelValue): CelValue | undefined {
  if (value instanceof CelMap) return value.get(key);
  if (value instanceof CelObject) return typeof key === "string" ? value.get(key) : undefined;
  if (value instanceof CelList) {
    const index = listIndex(key);
    return index >= 0 && index < value.size ? value.at(index) : undefined;
  }
  return undefined;
}

/** What `has(value.field)` says. */
export function isPresent(value: CelValue, field: string): boolean {
  if (value instanceof CelMap) return value.get(field) !== undefined;
  if (value instanceof CelObject) return value.has(field);
  if (value instanceof CelOptional) return value.value !== undefined && isPresent(value.value, field);
  if (value instanceof CelList) listIndex(field);
  return false;
}

/** `value.?field`: nothing where it is not there, or where the value is an optional with nothing in it. */
export function selectOptional(value: CelValue, key: CelValue): CelOptional {
  const inner = value instanceof CelOptional ? value.value : value;
  if (inner === undefined) return new CelOptional(undefined);
  if (inner instanceof CelObject && typeof key === "string" && !inner.has(key)) return new CelOptional(undefined);
  return new CelOptional(resolveAttribute(inner, key));
}

function listIndex(key: CelValue): number {
  if (typeof key === "bigint" || typeof key === "number" || (key !== null && typeof key === "object")) {
    const index = mapKey(key);
    if (typeof index === "bigint") return Number(index);
    if (typeof key === "number") throw new CelError(`unsupported index value ${showKey(key)} in list`);
  }
  throw new CelError(`unsupported index type '${runtimeTypeName(typeOfValue(key))}' in list`);
}

function showKey(key: CelValue): string {
  if (key instanceof CelTypeValue) return key.name;
  return typeof key === "object" ? String(mapKey(key) ?? runtimeTypeName(typeOfValue(key))) : String(key);
}
