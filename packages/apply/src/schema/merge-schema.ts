/**
 * A type as server-side apply sees it: which forms a value may have and how each of them merges. Fields whose type is
 * unknown, or any JSON, merge their objects by key and replace their lists.
 */
import type { Field, ListType, MapType, Scalar, StructType, Type } from "@coxswain/machinery";
import { fieldElement, type PathElement } from "../field-path/path-element.ts";

/** The forms that a value may take: one, for most types. */
export interface MergeSchema {
  readonly map?: MergeMap;
  readonly scalar?: "numeric" | "string" | "boolean" | "untyped";
  readonly list?: MergeList;
}

export interface MergeMap {
  /** Owned and replaced whole. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeField>;
  /** Of keys that are no fields; undefined where there may be none. */
  readonly rest: MergeSchema | undefined;
}

export interface MergeField {
  readonly element: PathElement;
  readonly schema: MergeSchema;
  readonly default: unknown;
}

export interface MergeList {
  /** Owned and replaced whole; otherwise its items have keys, or are their own keys where there are none. */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly item: MergeSchema;
}

export type Form = "map" | "scalar" | "list";

/** The form in which a value is handled; one that its type does not allow, and null, as the first that it does. */
export function formOf(schema: MergeSchema, value: unknown): Form {
  if (typeof value === "object") {
    if (value !== null) {
      if (Array.isArray(value)) {
        if (schema.list !== undefined) return "list";
      } else if (schema.map !== undefined) return "map";
    }
  } else if (schema.scalar !== undefined) return "scalar";
  return schema.map !== undefined ? "map" : schema.scalar !== undefined ? "scalar" : "list";
}

/** The schema of what a key of an object holds; undefined for fields that are not declared. */
export const schemaAt = (map: MergeMap, key: string): MergeSchema | undefined => map.fields.get(key)?.schema ?? map.rest;

/** Worked out once for each type, and for each field's view of it. */
export function mergeSchemaOf(type: StructType): MergeSchema {
  return structSchema(type, type.atomic);
}

const granularStructs = new WeakMap<StructType, MergeSchema>();
const atomicStructs = new WeakMap<StructType, MergeSchema>();

function structSchema(type: StructType, atomic: boolean): MergeSchema {
  const known = atomic ? atomicStructs : granularStructs;
  let schema = known.get(type);
  if (schema === undefined) {
    schema = { map: new LazyMap(type, atomic) };
    known.set(type, schema);
  }
  return schema;
}

/** Types refer to themselves, so fields are looked at when they are asked for. */
class LazyMap implements MergeMap {
  readonly atomic: boolean;
  readonly #type: StructType;
  #fields: ReadonlyMap<string, MergeField> | undefined;
  #rest: MergeSchema | undefined;

  constructor(type: StructType, atomic: boolean) {
    this.atomic = atomic;
    this.#type = type;
  }

  get fields(): ReadonlyMap<string, MergeField> {
    this.#fields ??= new Map([...this.#type.fields.values()].map((field) => [field.name, new LazyField(field)]));
    return this.#fields;
  }

  get rest(): MergeSchema | undefined {
    if (this.#type.rest !== undefined) this.#rest ??= schemaOf(this.#type.rest);
    else if (this.#type.fields.size === 0) return deduced;
    return this.#rest;
  }
}

class LazyField implements MergeField {
  readonly element: PathElement;
  readonly default: unknown;
  readonly #field: Field;
  #schema: MergeSchema | undefined;

  constructor(field: Field) {
    this.element = fieldElement(field.name);
    this.default = field.default;
    this.#field = field;
  }

  get schema(): MergeSchema {
    this.#schema ??= schemaOf(this.#field.type, this.#field);
    return this.#schema;
  }
}

function schemaOf(type: Type, field?: Field): MergeSchema {
  switch (type.kind) {
    case "struct":
      return structSchema(type, field === undefined ? type.atomic : field.mapType === "atomic");
    case "map":
      return mapSchema(type, (field ?? type).mapType === "atomic");
    case "list":
      return listSchema(type, field?.list ?? type.list);
    case "scalar":
      return scalarSchema(type.scalar, type.atomic === true);
  }
}

const mapSchema = (type: MapType, atomic: boolean): MergeSchema => ({ map: { atomic, fields: noFields, rest: schemaOf(type.value) } });

const listSchema = (type: ListType, list: Field["list"] | undefined): MergeSchema => ({
  list: { atomic: list === undefined || list.type === "atomic", keys: list?.type === "map" ? list.keys : [], item: schemaOf(type.item) },
});

const noFields: ReadonlyMap<string, MergeField> = new Map();

/** Any JSON, owned whole. */
const opaque: MergeSchema = {
  scalar: "untyped",
  get map() {
    return opaqueMap;
  },
  get list() {
    return opaqueList;
  },
};

const opaqueMap: MergeMap = { atomic: true, fields: noFields, rest: opaque };
const opaqueList: MergeList = { atomic: true, keys: [], item: opaque };

/** Any JSON whose objects merge by key. */
export const deduced: MergeSchema = {
  scalar: "untyped",
  get map() {
    return deducedMap;
  },
  list: opaqueList,
};

const deducedMap: MergeMap = { atomic: false, fields: noFields, rest: deduced };

function scalarSchema(scalar: Scalar, atomic: boolean): MergeSchema {
  switch (scalar) {
    case "string":
    case "bytes":
      return text;
    case "boolean":
      return { scalar: "boolean" };
    case "int32":
    case "int64":
    case "double":
      return { scalar: "numeric" };
    case "time":
    case "microTime":
    case "quantity":
      return { scalar: "untyped" };
    case "object":
      return { map: deducedMap };
    case "intOrString":
    case "any":
      return atomic ? opaque : deduced;
  }
}

const text: MergeSchema = { scalar: "string" };
