/**
 * Turns parsed JSON into what Kubernetes would have read and printed again: the hot path of every write.
 *
 * The rules are Go's, through its struct tags: unknown fields go, null is absence, zeros of `omit` fields go,
 * absent `value` fields appear, and times, quantities and base64 take their canonical form.
 */
import { canonicalQuantity, quantityProblem } from "../quantity/quantity.ts";
import { canonicalMicroTime, canonicalTime } from "../time/rfc3339.ts";
import { DecodeError, DecodeTypeError } from "../values/decode-error.ts";
import { isObject, type JsonObject } from "../values/json-object.ts";
import { canonicalBase64 } from "./base64.ts";
import type { DecodeReport } from "./decode-report.ts";
import { NumberLiteral } from "./number-literal.ts";
import { entryOf, fieldOf, goFieldPath, goTypeName, inlinedOf, type Path } from "./path.ts";
import { restoreProblem } from "./restore-problem.ts";
import type { Field, ListType, MapType, ScalarType, StructType, Type } from "./type.ts";
import { entryZeroOf, fillZeros, isZero, zeroOf } from "./zero.ts";

/**
 * Normalises a freshly parsed object in place. Nested objects may be replaced.
 * @throws DecodeError, DecodeTypeError with Go's message
 */
export function decodeInto(type: StructType, value: JsonObject, report: DecodeReport): void {
  const dropped = decodeFields(type, value, report, undefined);
  if (dropped !== undefined) for (const key of dropped) delete value[key];
  fillZeros(type, value);
}

/** One value of any type; undefined when it means absence. */
export function decodeValue(type: Type, value: unknown, report: DecodeReport | undefined, path?: Path): unknown {
  switch (type.kind) {
    case "scalar":
      return decodeScalar(type, value, path);
    case "struct":
      return decodeStruct(type, value, report, path);
    case "list":
      return decodeList(type, value, report, path);
    case "map":
      return decodeMap(type, value, report, path);
  }
}

const maxDepth = 1000;

function decodeStruct(type: StructType, value: unknown, report: DecodeReport | undefined, path: Path | undefined): JsonObject {
  if (!isObject(value)) throw mismatch(value, type, path);
  if (path !== undefined && path.depth > maxDepth) throw new DecodeError("exceeded max depth");
  const dropped = decodeFields(type, value, report, path);
  const kept = dropped === undefined ? value : without(value, dropped);
  fillZeros(type, kept);
  return kept;
}

/** Returns the keys to drop. Deleting them from a nested object would cost more than copying the others. */
function decodeFields(
  type: StructType,
  object: JsonObject,
  report: DecodeReport | undefined,
  path: Path | undefined,
): string[] | undefined {
  let dropped: string[] | undefined;
  const { fields } = type;
  for (const key in object) {
    const field = fields.get(key);
    if (field === undefined) report?.unknownField(path, key);
    else {
      const value = object[key];
      const decoded =
        typeof value === "string" && isPlainString(field.type)
          ? stringIn(field, value)
          : decodeField(field, value, report, fieldOf(inlinedAt(type, field, path), type.shortName, field.name));
      if (decoded !== undefined) {
        if (decoded !== value) object[key] = decoded;
        continue;
      }
    }
    dropped ??= [];
    dropped.push(key);
  }
  return dropped;
}

/** What most fields are, and need no path for. */
const isPlainString = (type: Type): boolean => type.kind === "scalar" && type.scalar === "string";

const stringIn = ({ presence }: Field, value: string): string | undefined => (value === "" && presence === "omit" ? undefined : value);

/** @param at the path of the field itself */
function decodeField({ type, presence, keepsEmpty }: Field, value: unknown, report: DecodeReport | undefined, at: Path): unknown {
  const decoded = value === null ? undefined : decodeValue(type, value, report, at);
  switch (presence) {
    case "pointer":
      return decoded;
    case "omit":
      return isZero(decoded, type) ? undefined : decoded;
    case "value":
      if (decoded === undefined) return zeroOf(type);
      if (type.kind === "scalar" || keepsEmpty === true || !isZero(decoded, type)) return decoded;
      if (type.kind !== "struct") report?.emptiedField(at, type.kind);
      return zeroOf(type);
  }
}

function decodeList(type: ListType, value: unknown, report: DecodeReport | undefined, path: Path | undefined): readonly unknown[] {
  if (!Array.isArray(value)) throw mismatch(value, type, path);
  const { item } = type;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    const decoded = element === null ? undefined : decodeValue(item, element, report, item.kind === "scalar" ? path : entryOf(path, i));
    if (decoded === undefined) value[i] = zeroOf(item);
    else if (decoded !== element) value[i] = decoded;
  }
  return value;
}

/** Keys are data: a key `__proto__` is an own property here, and stays one. */
function decodeMap(type: MapType, object: unknown, report: DecodeReport | undefined, path: Path | undefined): JsonObject {
  if (!isObject(object)) throw mismatch(object, type, path);
  const { value: valueType } = type;
  for (const key in object) {
    const value = object[key];
    const decoded =
      value === null ? undefined : decodeValue(valueType, value, report, valueType.kind === "scalar" ? path : entryOf(path, key));
    if (decoded === undefined) object[key] = entryZeroOf(valueType);
    else if (decoded !== value) object[key] = decoded;
  }
  return object;
}

function decodeScalar(type: ScalarType, value: unknown, path: Path | undefined): unknown {
  switch (type.scalar) {
    case "string":
      if (typeof value === "string") return value;
      break;
    case "boolean":
      if (typeof value === "boolean") return value;
      break;
    case "int32":
      return decodeInt32(type, value, path);
    case "int64":
      return decodeInt64(type, value, path);
    case "double":
      if (typeof value === "number" || typeof value === "bigint") return Number(value);
      break;
    case "bytes":
      if (typeof value === "string") return canonicalBase64(value);
      break;
    case "time":
      if (typeof value === "string") return canonicalTime(value);
      break;
    case "microTime":
      if (typeof value === "string") return canonicalMicroTime(value);
      break;
    case "quantity":
      return decodeQuantity(value);
    case "intOrString":
      return typeof value === "string" ? value : decodeInt32(type, value, path);
    case "object":
      return value;
    case "any":
      return type.holds === undefined ? value : decodeHeld(type.holds, value, path);
  }
  throw mismatch(value, type, path);
}

function decodeInt32(type: ScalarType, value: unknown, path: Path | undefined): number | bigint {
  if ((typeof value === "number" && Number.isInteger(value)) || typeof value === "bigint") {
    if (value >= -0x80000000 && value <= 0x7fffffff) return value;
  }
  throw mismatch(value, type, path, true);
}

function decodeInt64(type: ScalarType, value: unknown, path: Path | undefined): number | bigint {
  if (typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return value;
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) return value;
  throw mismatch(value, type, path, true);
}

function decodeQuantity(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : typeof value === "object" ? "{" : String(value);
  const canonical = canonicalQuantity(text);
  if (canonical === undefined) throw new DecodeError(quantityProblem(text) ?? "");
  return canonical;
}

/** Kubernetes decodes what these unions hold by hand, and reports no unknown fields there. */
function decodeHeld(holds: StructType, value: unknown, path: Path | undefined): unknown {
  if (Array.isArray(value)) return value.map((v: unknown) => (isObject(v) ? decodeStruct(holds, v, undefined, path) : v));
  return isObject(value) ? decodeStruct(holds, value, undefined, path) : value;
}

function without(object: JsonObject, dropped: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const key in object) if (!dropped.includes(key)) kept[key] = object[key];
  return kept;
}

function mismatch(value: unknown, type: Type, path: Path | undefined, showNumber = false): DecodeTypeError {
  return new DecodeTypeError(describe(value, showNumber), goFieldPath(path), goTypeName(type), restoreProblem(value, type));
}

function describe(value: unknown, showNumber: boolean): string {
  if (value instanceof NumberLiteral) return `number ${value.text}`;
  if (typeof value === "number" || typeof value === "bigint") return showNumber ? `number ${value}` : "number";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Go's errors also name the struct that another one inlines. */
function inlinedAt({ shortName }: StructType, { proto }: Field, path: Path | undefined): Path | undefined {
  const inlined = proto.length > 1 ? inlinedStructs[shortName] : undefined;
  return inlined === undefined ? path : inlined.slice(0, proto.length - 1).reduce((at, name) => inlinedOf(at, shortName, name), path);
}

const inlinedStructs: Readonly<Record<string, readonly string[]>> = {
  ConfigMapEnvSource: ["LocalObjectReference"],
  ConfigMapKeySelector: ["LocalObjectReference"],
  ConfigMapProjection: ["LocalObjectReference"],
  ConfigMapVolumeSource: ["LocalObjectReference"],
  DeviceAllocationConfiguration: ["DeviceConfiguration"],
  DeviceClaimConfiguration: ["DeviceConfiguration"],
  DeviceClassConfiguration: ["DeviceConfiguration"],
  EphemeralContainer: ["EphemeralContainerCommon"],
  IngressRule: ["IngressRuleValue"],
  NamedRuleWithOperations: ["RuleWithOperations", "Rule"],
  PersistentVolumeSpec: ["PersistentVolumeSource"],
  Probe: ["ProbeHandler"],
  RuleWithOperations: ["Rule"],
  SecretEnvSource: ["LocalObjectReference"],
  SecretKeySelector: ["LocalObjectReference"],
  SecretProjection: ["LocalObjectReference"],
  Volume: ["VolumeSource"],
};
