/**
 * The compiled form of a type: what decoding, patching, apply, protobuf and OpenAPI all walk.
 * Built-in kinds compile from data files; custom resources compile from their schemas.
 */

export type Type = StructType | MapType | ListType | ScalarType;

/** A type with fields, by their names. */
export interface StructType {
  readonly kind: "struct";
  /** The OpenAPI name, for example `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  /** The last part of the name, as Go's error messages show it: `Pod`. */
  readonly shortName: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** Replaced and owned whole by server-side apply. */
  readonly atomic: boolean;
  /** What fields that are not declared are; absent where there may be none. */
  readonly rest?: Type;
}

/** A type with values of one type under any keys. */
export interface MapType {
  readonly kind: "map";
  readonly value: Type;
  /** Where no field says how it merges, inside a list or a map: as `Field.mapType`. */
  readonly mapType?: Field["mapType"];
}

/** A type with items of one type in an order. */
export interface ListType {
  readonly kind: "list";
  readonly item: Type;
  /** Where no field says how it merges, inside a list or a map: as `Field.list`. */
  readonly list?: Field["list"];
}

/** A type without parts, or one whose parts have no type of their own. */
export interface ScalarType {
  readonly kind: "scalar";
  readonly scalar: Scalar;
  /** With `any`: objects in it, or in the list that it may be, are of this type (JSONSchemaPropsOrArray and its like). */
  readonly holds?: StructType;
  /** With `any`: replaced and owned whole by server-side apply, as RawExtension; without, its objects merge by key. */
  readonly atomic?: true;
}

/**
 * `int64` is a number when safe, else a bigint. `bytes` is base64 text. `any` is whatever JSON the client sent
 * (RawExtension, JSON); `object` is any JSON object (FieldsV1).
 */
export type Scalar =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "time"
  | "microTime"
  | "quantity"
  | "intOrString"
  | "object"
  | "any";

/** A field of a struct: its type, whether it must be there, and how a patch merges it. */
export interface Field {
  readonly name: string;
  readonly type: Type;
  /** Required by the published schema. */
  readonly required: boolean;
  /** `pointer`: a zero is kept; `omit`: a zero, empty list or empty map equals absence; `value`: always present in answers. */
  readonly presence: "pointer" | "omit" | "value";
  /** A list whose emptiness is kept: its objects are stored as JSON, where others go through protobuf, which has no empty lists. */
  readonly keepsEmpty?: true;
  /** A `pointer` that answers show as null when it is absent. */
  readonly showsNull?: true;
  readonly enum: readonly string[] | undefined;
  /** Strategic merge patch. @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/ */
  readonly patch: {
    readonly merge: boolean;
    readonly retainKeys: boolean;
    readonly mergeKey: string | undefined;
    readonly replace?: boolean;
  };
  /** Server-side apply: how a list or map merges. */
  readonly list: { readonly type: "atomic" | "set" | "map"; readonly keys: readonly string[] };
  /** Also of structs, where it comes before the struct's own. */
  readonly mapType: "atomic" | "granular";
  /** What the published schema gives as the value where there is none; server-side apply wants it of keys of lists. */
  readonly default?: unknown;
  /** Protobuf field number; a path where JSON inlines what protobuf nests. Empty when protobuf does not carry it. */
  readonly proto: readonly number[];
  readonly protoType: string;
}
