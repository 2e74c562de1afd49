/** Functions named like types, which convert to them. */

import { sizeOf, traversal } from "../define/call-cost.ts";
import { functionsOf, plain } from "../define/declare.ts";
import type { CelOverload } from "../environment/library.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeOfTypes,
  typeParam,
  uintType,
} from "../types/type.ts";
import { runtimeTypeName } from "../types/type-text.ts";
import { formatGoFloat, parseGoFloat, parseInt64, parseUint64 } from "../values/number-text.ts";
import { int64, nanosPerSecond, timestamp, uint64 } from "../values/range.ts";
import { floorDivide, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "../values/time-text.ts";
import { asBytes, asDouble, asInstance, asInt, asString, asUint } from "../values/typed.ts";
import { CelDuration, CelError, CelTimestamp, CelTypeValue, CelUint, type CelValue } from "../values/value.ts";
import { typeOfValue } from "../values/value-type.ts";

const a = typeParam("A");
const time = asInstance(CelTimestamp);
const span = asInstance(CelDuration);
const textCost: Pick<CelOverload, "cost"> = { cost: ([text]) => traversal(sizeOf(text)) };
const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }) };

export const conversion = functionsOf({
  bool: [same("bool_to_bool", boolType), from("string_to_bool", stringType, boolType, (text) => parseBool(asString(text)))],
  bytes: [
    same("bytes_to_bytes", bytesType),
    { ...from("string_to_bytes", stringType, bytesType, (text) => utf8.encoder.encode(asString(text))), ...textCost },
  ],
  double: [
    same("double_to_double", doubleType),
    from("int64_to_double", intType, doubleType, (int) => Number(asInt(int))),
    from("string_to_double", stringType, doubleType, (text) => read(parseGoFloat(asString(text)), doubleType)),
    from("uint64_to_double", uintType, doubleType, (uint) => Number(asUint(uint))),
  ],
  duration: [
    same("duration_to_duration", durationType),
    from("int64_to_duration", intType, durationType, () => fail(intType, durationType)),
    from("string_to_duration", stringType, durationType, (text) => new CelDuration(read(parseDuration(asString(text)), durationType))),
  ],
  dyn: [from("to_dyn", a, dynType, (value) => value)],
  int: [
    same("int64_to_int64", intType),
    from("double_to_int64", doubleType, intType, (double) => truncate(asDouble(double))),
    from("duration_to_int64", durationType, intType, (value) => span(value).nanos),
    from("string_to_int64", stringType, intType, (text) => read(parseInt64(asString(text)), intType)),
    from("timestamp_to_int64", timestampType, intType, (value) => floorDivide(time(value).nanos, nanosPerSecond)),
    from("uint64_to_int64", uintType, intType, (uint) => int64(asUint(uint))),
  ],
  string: [
    same("string_to_string", stringType),
    from("bool_to_string", boolType, stringType, String),
    { ...from("bytes_to_string", bytesType, stringType, (bytes) => decode(asBytes(bytes))), ...textCost },
    from("double_to_string", doubleType, stringType, (double) => formatGoFloat(asDouble(double))),
    from("duration_to_string", durationType, stringType, (value) => formatDuration(span(value).nanos)),
    from("int64_to_string", intType, stringType, (int) => String(asInt(int))),
    from("timestamp_to_string", timestampType, stringType, (value) => formatTimestamp(time(value).nanos)),
    from("uint64_to_string", uintType, stringType, (uint) => String(asUint(uint))),
  ],
  timestamp: [
    same("timestamp_to_timestamp", timestampType),
    from("int64_to_timestamp", intType, timestampType, (int) => timestamp(asInt(int) * nanosPerSecond)),
    from("string_to_timestamp", stringType, timestampType, (text) => timestamp(read(parseTimestamp(asString(text)), timestampType))),
  ],
  type: [from("type", a, typeOfTypes(a), (value) => new CelTypeValue(runtimeTypeName(typeOfValue(value))))],
  uint: [
    same("uint64_to_uint64", uintType),
    from("double_to_uint64", doubleType, uintType, (double) => truncateUnsigned(asDouble(double))),
    from("int64_to_uint64", intType, uintType, (int) => uint64(asInt(int))),
    from("string_to_uint64", stringType, uintType, (text) => new CelUint(read(parseUint64(asString(text)), uintType))),
  ],
});

function from(id: string, type: CelType, result: CelType, convert: (value: CelValue) => CelValue): CelOverload {
  return plain(id, [type], result, ([value]) => convert(value ?? null));
}

function same(id: string, type: CelType): CelOverload {
  return from(id, type, type, (value) => value);
}

function read<T>(value: T | undefined, type: CelType): T {
  return value === undefined ? fail(stringType, type) : value;
}

function fail(source: CelType, target: CelType): never {
  throw new CelError(`type conversion error from '${runtimeTypeName(source)}' to '${runtimeTypeName(target)}'`);
}

function parseBool(text: string): boolean {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(?:0|f|F|false|FALSE|False)$/.test(text) ? false : fail(stringType, boolType);
}

/** Towards zero. Both ends of the range are out, as a double cannot distinguish either from what lies beyond it. */
function truncate(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function truncateUnsigned(value: number): CelUint {
  if (!(value >= 0 && value < 2 ** 64)) throw new CelError("unsigned integer overflow");
  return new CelUint(BigInt(Math.trunc(value)));
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decoder.decode(bytes);
  } catch {
    throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}
