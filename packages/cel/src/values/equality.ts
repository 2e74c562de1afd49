/**
 * When values are equal: numbers by their value whatever their type, everything else only within its type.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#equality
 */
import {
  CelDuration,
  CelError,
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

/**
 * Whether two values are equal by CEL's rules, in which numbers of different types may be.
 * @throws CelError when the values are nested too deeply to be compared
 */
export function equalValues(a: CelValue, b: CelValue): boolean {
  return equalAt(a, b, 0);
}

/** How many values may contain one another: more might exceed the stack, and no JSON that is written by hand comes near it. */
const maxComparedDepth = 1000;

function equalAt(a: CelValue, b: CelValue, depth: number): boolean {
  if (typeof a !== "object" || typeof b !== "object") return equalSimple(a, b);
  if (a === null || b === null) return a === b;
  if (depth > maxComparedDepth) throw new CelError("values are nested too deeply to be compared");
  return equalParts(a, b, depth + 1);
}

/** At least one of them is a simple value. */
function equalSimple(a: CelValue, b: CelValue): boolean {
  const left = a instanceof CelUint ? a.value : a;
  const right = b instanceof CelUint ? b.value : b;
  if (typeof left === "bigint" && typeof right === "number") return equalIntAndDouble(left, right);
  if (typeof left === "number" && typeof right === "bigint") return equalIntAndDouble(right, left);
  return left === right;
}

/** As Go compares them: JavaScript would be exact, but Go makes a double of the int. */
const equalIntAndDouble = (int: bigint, double: number) => Number(int) === double;

function equalParts(a: CelValue, b: CelValue, depth: number): boolean {
  if (a instanceof CelUint) return b instanceof CelUint && a.value === b.value;
  const inside = (left: CelValue, right: CelValue): boolean => equalAt(left, right, depth);
  if (a instanceof CelList) return b instanceof CelList && (a.equals?.(b, inside) ?? equalLists(a, b, depth));
  if (a instanceof CelMap) return b instanceof CelMap && (a.equals?.(b, inside) ?? equalMaps(a, b, depth));
  if (a instanceof CelObject) return a.equals(b, inside);
  if (a instanceof CelOpaque) return a.equals(b);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a.value, b.value, depth);
  return a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

const equalOptionals = (a: CelValue | undefined, b: CelValue | undefined, depth: number): boolean =>
  a === undefined || b === undefined ? a === b : equalAt(a, b, depth);

function equalLists(a: CelList, b: CelList, depth: number): boolean {
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equalAt(a.at(i), b.at(i), depth)) return false;
  return true;
}

function equalMaps(a: CelMap, b: CelMap, depth: number): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const left = a.get(key);
    const right = b.get(key);
    if (left === undefined || right === undefined || !equalAt(left, right, depth)) return false;
  }
  return true;
}
