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

export const boolType = primitive("bool");
export const intType = primitive("int");
export const uintType = primitive("uint");
export const doubleType = primitive("double");
export const stringType = primitive("string");
export const bytesType = primitive("bytes");
export const nullType = primitive("null");
export const timestampType = primitive("timestamp");
export const durationType = primitive("duration");
export const dynType = primitive("dyn");
export const errorType = primitive("error");

export const listOf = (item: CelType): CelType => ({ kind: "list", item });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: "map", key, value });
export const objectType = (name: string): CelType => ({ kind: "object", name });
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => ({ kind: "opaque", name, parameters });
export const optionalOf = (value: CelType): CelType => opaqueType("optional_type", value);
export const wrapperOf = (of: CelType): CelType => ({ kind: "wrapper", of });
export const typeOfTypes = (of: CelType): CelType => ({ kind: "type", of });
export const typeParam = (name: string): CelType => ({ kind: "param", name });
