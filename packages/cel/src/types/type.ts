/**
 * The types that the checker reasons about. They are values to compare by `sameType`, never by identity.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#values
 */

export type CelType =
  | { readonly kind: Primitive }
  | { readonly kind: "list"; readonly item: CelType }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType }
  /** A message or a node of a schema; the environment's provider knows its fields. */
  | { readonly kind: "object"; readonly name: string }
  /** A named type with parameters that only libraries make: `optional_type(T)`, `kubernetes.URL`. */
  | { readonly kind: "opaque"; readonly name: string; readonly parameters: readonly CelType[] }
  /** A primitive that may be null. */
  | { readonly kind: "wrapper"; readonly of: CelType }
  /** The type of types: `type(1)` is of `type(int)`. */
  | { readonly kind: "type"; readonly of: CelType }
  /** A parameter in a signature, `A` in `list(A)`. */
  | { readonly kind: "param"; readonly name: string };

/** The types of CEL without parts, and `dyn` and `error`. */
export type Primitive =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "timestamp"
  | "duration"
  /** Known only at run time: equal to everything while checking. */
  | "dyn"
  /** After an error that was reported already: silences the errors that would follow from it. */
  | "error";

const primitive = (kind: Primitive): CelType => Object.freeze({ kind });

/** The type of true and false. */
export const boolType = primitive("bool");
/** The type of 64-bit integers. */
export const intType = primitive("int");
/** The type of 64-bit integers without a sign. */
export const uintType = primitive("uint");
/** The type of 64-bit floating-point numbers. */
export const doubleType = primitive("double");
/** The type of Unicode text. */
export const stringType = primitive("string");
/** The type of byte sequences. */
export const bytesType = primitive("bytes");
/** The type of null. */
export const nullType = primitive("null");
/** The type of moments, with nanoseconds. */
export const timestampType = primitive("timestamp");
/** The type of spans of time, with nanoseconds. */
export const durationType = primitive("duration");
/** The type of what is checked when it is evaluated. */
export const dynType = primitive("dyn");
/** The type of what did not check; it is reported once. */
export const errorType = primitive("error");

/** Returns the type of lists of such items. */
export const listOf = (item: CelType): CelType => ({ kind: "list", item });
/** Returns the type of maps of such keys and values. */
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: "map", key, value });
/** Returns the type of objects with declared fields. */
export const objectType = (name: string): CelType => ({ kind: "object", name });
/** Returns a type that only a library's functions understand, with its type parameters. */
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => ({ kind: "opaque", name, parameters });
/** Returns the type of values that may be absent. */
export const optionalOf = (value: CelType): CelType => opaqueType("optional_type", value);
/** Returns the type of a primitive that may be null. */
export const wrapperOf = (of: CelType): CelType => ({ kind: "wrapper", of });
/** Returns the type of a type as a value. */
export const typeOfTypes = (of: CelType): CelType => ({ kind: "type", of });
/** Returns a type parameter of a generic function, which each call binds for itself. */
export const typeParam = (name: string): CelType => ({ kind: "param", name });
