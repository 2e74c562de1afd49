/**
 * When values are equal: numbers by their value whatever their type, everything else only within its type.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#equality
 */
import {
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./value.ts";

export function equalValues(a: CelValue, b: CelValue): boolean {
  if (a === b) return typeof a !== "object" || a === null || !(a instanceof CelList || a instanceof CelMap) || equalParts(a, b);
  if (typeof a !== "object" || typeof b !== "object") return equalNumbers(a, b);
  if (a === null || b === null) return false;
  return equalParts(a, b);
}

function equalNumbers(a: CelValue, b: CelValue): boolean {
  const left = a instanceof CelUint ? a.value : a;
  const right = b instanceof CelUint ? b.value : b;
  const isNumeric = (value: CelValue) => typeof value === "bigint" || typeof value === "number";
  // JavaScript compares a bigint with a number by their values, but Go makes a double of an int that is beyond 2^53.
  if (typeof left === "bigint" && typeof right === "number") return equalIntAndDouble(left, right);
  if (typeof left === "number" && typeof right === "bigint") return equalIntAndDouble(right, left);
  return isNumeric(left) && isNumeric(right) && left === right;
}

const equalIntAndDouble = (int: bigint, double: number) => Number(int) === double;

function equalParts(a: CelValue, b: CelValue): boolean {
  if (a instanceof CelUint) return b instanceof CelUint && a.value === b.value;
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof CelObject) return a.equals(b, equalValues);
  if (a instanceof CelOpaque) return a.equals(b);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a.value, b.value);
  return a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

const equalOptionals = (a: CelValue | undefined, b: CelValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalValues(a, b);

function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equalValues(a.at(i), b.at(i))) return false;
  return true;
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const left = a.get(key);
    const right = b.get(key);
    if (left === undefined || right === undefined || !equalValues(left, right)) return false;
  }
  return true;
}
