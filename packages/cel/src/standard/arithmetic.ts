/** `+ - * / %` and the unary minus. */

import { functionsOf, plain } from "../define/declare.ts";
import { operators } from "../syntax/ast.ts";
import { bytesType, doubleType, durationType, intType, listOf, stringType, timestampType, typeParam, uintType } from "../types/type.ts";
import { concatLists } from "../values/collections.ts";
import { duration, int64, timestamp, uint64 } from "../values/range.ts";
import { asBytes, asDouble, asInstance, asInt, asString, asUint } from "../values/typed.ts";
import { CelDuration, CelError, CelList, CelTimestamp } from "../values/value.ts";
import { binary, bothCost } from "./operator.ts";

const int = [intType, asInt] as const;
const uint = [uintType, asUint] as const;
const double = [doubleType, asDouble] as const;
const time = [timestampType, asInstance(CelTimestamp)] as const;
const span = [durationType, asInstance(CelDuration)] as const;
const listOfA = listOf(typeParam("A"));
const bytes = [bytesType, asBytes] as const;
const string = [stringType, asString] as const;
const list = [listOfA, asInstance(CelList)] as const;

export const arithmetic = functionsOf({
  [operators.add]: [
    { ...binary("add_bytes", [bytes, bytes], bytesType, concatBytes), cost: bothCost },
    binary("add_double", [double, double], doubleType, (a, b) => a + b),
    binary("add_duration_duration", [span, span], durationType, (a, b) => duration(a.nanos + b.nanos)),
    binary("add_duration_timestamp", [span, time], timestampType, (a, b) => timestamp(a.nanos + b.nanos)),
    binary("add_timestamp_duration", [time, span], timestampType, (a, b) => timestamp(a.nanos + b.nanos)),
    binary("add_int64", [int, int], intType, (a, b) => int64(a + b)),
    binary("add_list", [list, list], listOfA, concatLists),
    { ...binary("add_string", [string, string], stringType, (a, b) => a + b), cost: bothCost },
    binary("add_uint64", [uint, uint], uintType, (a, b) => uint64(a + b)),
  ],
  [operators.subtract]: [
    binary("subtract_double", [double, double], doubleType, (a, b) => a - b),
    binary("subtract_duration_duration", [span, span], durationType, (a, b) => duration(a.nanos - b.nanos)),
    binary("subtract_int64", [int, int], intType, (a, b) => int64(a - b)),
    binary("subtract_timestamp_duration", [time, span], timestampType, (a, b) => timestamp(a.nanos - b.nanos)),
    binary("subtract_timestamp_timestamp", [time, time], durationType, (a, b) => duration(a.nanos - b.nanos)),
    binary("subtract_uint64", [uint, uint], uintType, (a, b) => uint64(a - b)),
  ],
  [operators.multiply]: [
    binary("multiply_double", [double, double], doubleType, (a, b) => a * b),
    binary("multiply_int64", [int, int], intType, (a, b) => int64(a * b)),
    binary("multiply_uint64", [uint, uint], uintType, (a, b) => uint64(a * b)),
  ],
  [operators.divide]: [
    binary("divide_double", [double, double], doubleType, (a, b) => a / b),
    binary("divide_int64", [int, int], intType, (a, b) => int64(a / divisor(b, "division"))),
    binary("divide_uint64", [uint, uint], uintType, (a, b) => uint64(a / divisor(b, "division"))),
  ],
  [operators.modulo]: [
    binary("modulo_int64", [int, int], intType, (a, b) => modulo(a, divisor(b, "modulus"))),
    binary("modulo_uint64", [uint, uint], uintType, (a, b) => uint64(a % divisor(b, "modulus"))),
  ],
  [operators.negate]: [
    plain("negate_double", [doubleType], doubleType, ([a]) => -asDouble(a)),
    plain("negate_int64", [intType], intType, ([a]) => int64(-asInt(a))),
  ],
});

function divisor(value: bigint, what: "division" | "modulus"): bigint {
  if (value === 0n) throw new CelError(`${what} by zero`);
  return value;
}

/** The least int modulo -1 overflows as its quotient does. */
function modulo(a: bigint, b: bigint): bigint {
  if (b === -1n) int64(-a);
  return a % b;
}

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
