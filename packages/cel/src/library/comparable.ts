import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
} from "../types/type.ts";

/** The types whose values have an order, by the names that overloads have for them. */
export const comparableTypes: readonly (readonly [name: string, type: CelType])[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["bool", boolType],
  ["duration", durationType],
  ["timestamp", timestampType],
  ["string", stringType],
  ["bytes", bytesType],
];
