/** The types of values at run time, where lists and maps may hold anything. */

import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  timestampType,
  typeOfTypes,
  uintType,
} from "../types/type.ts";
import { runtimeTypeName } from "../types/type-text.ts";
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

const anyList = listOf(dynType);
const anyMap = mapOf(dynType, dynType);
const anyOptional = optionalOf(dynType);
const anyType = typeOfTypes(dynType);

/** Returns the type of a value as `type(…)` sees it. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    case "string":
      return stringType;
    default:
      return value === null ? nullType : typeOfInstance(value);
  }
}

function typeOfInstance(value: Exclude<CelValue, null | boolean | bigint | number | string>): CelType {
  if (value instanceof CelList) return anyList;
  if (value instanceof CelMap) return anyMap;
  if (value instanceof CelObject || value instanceof CelOpaque) return value.type;
  if (value instanceof CelUint) return uintType;
  if (value instanceof CelTimestamp) return timestampType;
  if (value instanceof CelDuration) return durationType;
  if (value instanceof CelOptional) return anyOptional;
  return value instanceof CelTypeValue ? anyType : bytesType;
}

/** Whether a value may be passed where a signature asks for a type. What lists and maps hold is not looked at. */
export function fitsParameter(value: CelValue, parameter: CelType): boolean {
  switch (parameter.kind) {
    case "dyn":
    case "param":
      return true;
    case "wrapper":
      return value === null || fitsParameter(value, parameter.of);
    case "object":
    case "opaque":
      return value !== null && runtimeTypeName(typeOfValue(value)) === parameter.name;
    default:
      return typeOfValue(value).kind === parameter.kind;
  }
}
