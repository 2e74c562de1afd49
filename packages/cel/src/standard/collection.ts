/** `in`, `size`, indexes. */

import { sizeOf } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelOverload } from "../environment/library.ts";
import { operators } from "../syntax/ast.ts";
import { boolType, bytesType, type CelType, intType, listOf, mapOf, optionalOf, stringType, typeParam } from "../types/type.ts";
import { select, selectOptional } from "../values/attribute.ts";
import { equalValues } from "../values/equality.ts";
import { asInstance } from "../values/typed.ts";
import { CelList, CelMap, type CelValue } from "../values/value.ts";

const a = typeParam("A");
const b = typeParam("B");
const listOfA = listOf(a);
const mapOfAB = mapOf(a, b);
const asList = asInstance(CelList);
const asMap = asInstance(CelMap);

export const collection = functionsOf({
  [operators.in]: [
    {
      ...plain("in_list", [a, listOfA], boolType, ([item, list]) => contains(asList(list), item ?? null)),
      cost: ([, list]) => sizeOf(list),
    },
    plain("in_map", [a, mapOfAB], boolType, ([key, map]) => asMap(map).get(key ?? null) !== undefined),
  ],
  size: [...sizes("bytes", bytesType), ...sizes("list", listOfA), ...sizes("map", mapOfAB), ...sizes("string", stringType)],
  [operators.index]: [
    plain("index_list", [listOfA, intType], a, pick),
    plain("index_map", [mapOfAB, a], b, pick),
    plain("optional_list_index_int", [optionalOf(listOfA), intType], optionalOf(a), pickOptional),
    plain("optional_map_index_value", [optionalOf(mapOfAB), a], optionalOf(b), pickOptional),
  ],
  [operators.optionalIndex]: [
    plain("list_optindex_optional_int", [listOfA, intType], optionalOf(a), pickOptional),
    plain("optional_list_optindex_optional_int", [optionalOf(listOfA), intType], optionalOf(a), pickOptional),
    plain("map_optindex_optional_value", [mapOfAB, a], optionalOf(b), pickOptional),
    plain("optional_map_optindex_optional_value", [optionalOf(mapOfAB), a], optionalOf(b), pickOptional),
  ],
});

function pick([value, key]: readonly CelValue[]): CelValue {
  return select(value ?? null, key ?? null);
}

function pickOptional([value, key]: readonly CelValue[]): CelValue {
  return selectOptional(value ?? null, key ?? null);
}

function sizes(name: string, type: CelType): readonly CelOverload[] {
  const call: CelOverload["call"] = ([value]) => BigInt(sizeOf(value));
  return [plain(`size_${name}`, [type], intType, call), method(`${name}_size`, [type], intType, call)];
}

function contains(list: CelList, item: CelValue): boolean {
  for (let i = 0; i < list.size; i++) if (equalValues(list.at(i), item)) return true;
  return false;
}
