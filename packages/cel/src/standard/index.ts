/** What every environment has. @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions */
import type { CelLibrary } from "../environment/library.ts";
import { standardMacros } from "../syntax/macros.ts";
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
  stringType,
  timestampType,
  typeOfTypes,
  uintType,
} from "../types/type.ts";
import { runtimeTypeName } from "../types/type-text.ts";
import { CelTypeValue } from "../values/value.ts";
import { arithmetic } from "./arithmetic.ts";
import { collection } from "./collection.ts";
import { comparison } from "./comparison.ts";
import { conversion } from "./conversion.ts";
import { string } from "./string.ts";
import { time } from "./time.ts";
import { literalValidators } from "./validators.ts";

const types: readonly CelType[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listOf(dynType),
  mapOf(dynType, dynType),
  nullType,
  stringType,
  timestampType,
  typeOfTypes(dynType),
  uintType,
];

export const standard: CelLibrary = {
  name: "standard",
  functions: [...arithmetic, ...collection, ...comparison, ...conversion, ...string, ...time],
  macros: standardMacros,
  constants: new Map(
    types.map((type) => [runtimeTypeName(type), { type: typeOfTypes(type), value: new CelTypeValue(runtimeTypeName(type)) }]),
  ),
  validators: literalValidators,
};
