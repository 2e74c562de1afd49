/** Kubernetes' functions on lists. @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library */

import { listAt, noSuchOverload } from "../define/argument.ts";
import { traversesItems } from "../define/call-cost.ts";
import { functionsOf, method } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, type CelType, doubleType, durationType, intType, listOf, typeParam, uintType } from "../types/type.ts";
import { equalValues } from "../values/equality.ts";
import { compareValues } from "../values/order.ts";
import { duration, int64, uint64 } from "../values/range.ts";
import { CelDuration, CelError, type CelList, CelUint, type CelValue } from "../values/value.ts";
import { comparableTypes } from "./comparable.ts";

const itemType = typeParam("A");
const search = [listOf(itemType), itemType];

export const lists: CelLibrary = {
  name: "kubernetes.lists",
  functions: functionsOf({
    isSorted: comparableTypes.map(([name, type]) => ({
      ...method(`list_${name}_is_sorted_bool`, [listOf(type)], boolType, (args) => isSorted(listAt(args, 0))),
      ...traversesItems,
    })),
    sum: [
      sums("int", intType, 0n),
      sums("uint", uintType, new CelUint(0n)),
      sums("double", doubleType, 0),
      sums("duration", durationType, new CelDuration(0n)),
    ],
    max: comparableTypes.map(([name, type]) => extreme("max", name, type, 1)),
    min: comparableTypes.map(([name, type]) => extreme("min", name, type, -1)),
    indexOf: [
      { ...method("list_a_index_of_int", search, intType, (args) => firstIndex(listAt(args, 0), itemAt(args))), ...traversesItems },
    ],
    lastIndexOf: [
      { ...method("list_a_last_index_of_int", search, intType, (args) => lastIndex(listAt(args, 0), itemAt(args))), ...traversesItems },
    ],
  }),
};

const itemAt = (args: readonly CelValue[]): CelValue => args[1] ?? null;

function isSorted(list: CelList): boolean {
  for (let i = 1; i < list.size; i++) if (compareValues(list.at(i - 1), list.at(i)) > 0) return false;
  return true;
}

function sums(name: string, type: CelType, zero: CelValue): CelOverload {
  return {
    ...method(`list_${name}_sum_${name}`, [listOf(type)], type, (args) => [...listAt(args, 0)].reduce(add, zero)),
    ...traversesItems,
  };
}

function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "bigint" && typeof b === "bigint") return int64(a + b);
  if (a instanceof CelUint && b instanceof CelUint) return uint64(a.value + b.value);
  if (a instanceof CelDuration && b instanceof CelDuration) return duration(a.nanos + b.nanos);
  throw noSuchOverload();
}

/** Of equal items the first. */
function extreme(name: string, typeName: string, type: CelType, sign: 1 | -1): CelOverload {
  const find = (list: CelList): CelValue => {
    if (list.size === 0) throw new CelError(`${name} called on empty list`);
    return [...list].reduce((best, item) => (compareValues(item, best) * sign > 0 ? item : best));
  };
  return { ...method(`list_${typeName}_${name}_${typeName}`, [listOf(type)], type, (args) => find(listAt(args, 0))), ...traversesItems };
}

function firstIndex(list: CelList, item: CelValue): bigint {
  for (let i = 0; i < list.size; i++) if (equalValues(list.at(i), item)) return BigInt(i);
  return -1n;
}

function lastIndex(list: CelList, item: CelValue): bigint {
  for (let i = list.size - 1; i >= 0; i--) if (equalValues(list.at(i), item)) return BigInt(i);
  return -1n;
}
