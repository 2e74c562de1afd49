/** Go's zero values, as its JSON prints them. */
import type { Field, StructType, Type } from "./type.ts";

/** Adds the fields that answers always show. */
export function fillZeros(type: StructType, object: Record<string, unknown>): void {
  for (const field of alwaysShown(type)) {
    if (object[field.name] === undefined) object[field.name] = field.presence === "pointer" ? null : zeroOf(field.type);
  }
}

/** Returns what Go's zero value of the type is in JSON, with the fields that are never omitted. */
export function zeroOf(type: Type): unknown {
  switch (type.kind) {
    case "struct": {
      const object: Record<string, unknown> = {};
      fillZeros(type, object);
      return object;
    }
    case "list":
    case "map":
      return null;
    case "scalar":
      return scalarZeros[type.scalar];
  }
}

/** The value of a map's key whose value is null or missing: never null, as storing it in protobuf makes it. */
export function entryZeroOf(type: Type): unknown {
  if (type.kind === "list") return [];
  return type.kind === "scalar" && type.scalar === "bytes" ? "" : zeroOf(type);
}

/** What `omit` leaves out: never a struct. */
export function isZero(value: unknown, type: Type): boolean {
  switch (type.kind) {
    case "struct":
      return false;
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return typeof value === "object" && isEmpty(value);
    case "scalar":
      return value === scalarZeros[type.scalar] || (type.scalar === "bytes" && value === "");
  }
}

/** Whether an object has no members. */
export function isEmpty(object: object | null): boolean {
  for (const _ in object) return false;
  return true;
}

const scalarZeros = {
  string: "",
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  time: null,
  microTime: null,
  quantity: "0",
  intOrString: 0,
  object: null,
  any: null,
} as const;

/** Worked out once for each type, which never changes. */
const shown = new WeakMap<StructType, readonly Field[]>();

function alwaysShown(type: StructType): readonly Field[] {
  let fields = shown.get(type);
  if (fields === undefined) {
    fields = [...type.fields.values()].filter((f) => f.presence === "value" || f.showsNull === true);
    shown.set(type, fields);
  }
  return fields;
}
