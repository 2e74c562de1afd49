/** Equality, order, and what logic is declared as. */

import { functionsOf, plain } from "../define/declare.ts";
import type { CelOverload } from "../environment/library.ts";
import { operators } from "../syntax/ast.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from "../types/type.ts";
import { equalValues } from "../values/equality.ts";
import { compareValues } from "../values/order.ts";
import { asBool, noSuchOverload } from "../values/typed.ts";
import { shorterCost } from "./operator.ts";

const numbers: readonly (readonly [string, CelType])[] = [
  ["int64", intType],
  ["uint64", uintType],
  ["double", doubleType],
];
/** What has an order only among itself. Strings and bytes are gone through, the others are compared at once. */
const others: readonly (readonly [string, CelType])[] = [
  ["bool", boolType],
  ["string", stringType],
  ["bytes", bytesType],
  ["timestamp", timestampType],
  ["duration", durationType],
];

const a = typeParam("A");
/** The planner has its own way with these: they take part in checking only. */
const planned: CelOverload["call"] = () => {
  throw noSuchOverload();
};

export const comparison = functionsOf({
  [operators.equals]: [{ ...plain("equals", [a, a], boolType, ([x, y]) => equalValues(x ?? null, y ?? null)), cost: shorterCost }],
  [operators.notEquals]: [{ ...plain("not_equals", [a, a], boolType, ([x, y]) => !equalValues(x ?? null, y ?? null)), cost: shorterCost }],
  [operators.less]: ordered("less", (order) => order < 0),
  [operators.lessEquals]: ordered("less_equals", (order) => order <= 0),
  [operators.greater]: ordered("greater", (order) => order > 0),
  [operators.greaterEquals]: ordered("greater_equals", (order) => order >= 0),
  [operators.and]: [plain("logical_and", [boolType, boolType], boolType, planned)],
  [operators.or]: [plain("logical_or", [boolType, boolType], boolType, planned)],
  [operators.not]: [plain("logical_not", [boolType], boolType, ([x]) => !asBool(x))],
  [operators.conditional]: [plain("conditional", [boolType, a, a], a, planned)],
  [operators.notStrictlyFalse]: [plain("not_strictly_false", [boolType], boolType, planned)],
});

function ordered(name: string, decide: (order: number) => boolean): readonly CelOverload[] {
  const call: CelOverload["call"] = ([x, y]) => decide(compareValues(x ?? null, y ?? null));
  const among = others.map(([id, type]) => ({
    ...plain(`${name}_${id}`, [type, type], boolType, call),
    ...(id === "string" || id === "bytes" ? { cost: shorterCost } : {}),
  }));
  const across = numbers.flatMap(([left, leftType]) =>
    numbers.map(([right, rightType]) =>
      plain(left === right ? `${name}_${left}` : `${name}_${left}_${right}`, [leftType, rightType], boolType, call),
    ),
  );
  return [...among, ...across];
}
