/**
 * A custom schema as the type that apply, managed fields and patches walk.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#custom-resources-and-server-side-apply
 */
import type { Field, ListType, ScalarType, StructType, Type } from "@coxswain/machinery";
import { isSchema } from "./node.ts";
import type { JsonSchema } from "./schema.ts";

/** @param name the OpenAPI name @param metadata the type of ObjectMeta */
export const customType = (schema: JsonSchema, name: string, metadata: StructType): StructType =>
  new CustomStruct(schema, name, { metadata, open: false }, true);

interface Surroundings {
  readonly metadata: StructType;
  /** A schema further up preserves unknown fields: so do all below it, as far as types go. */
  readonly open: boolean;
}

const any: ScalarType = { kind: "scalar", scalar: "any" };
const text: ScalarType = { kind: "scalar", scalar: "string" };

/** Its fields compile when they are first asked for. */
class CustomStruct implements StructType {
  readonly kind = "struct";
  readonly name: string;
  readonly shortName: string;
  readonly atomic: boolean;
  readonly rest?: Type;
  readonly #schema: JsonSchema;
  readonly #around: Surroundings;
  readonly #resource: boolean;
  #fields: ReadonlyMap<string, Field> | undefined;

  constructor(schema: JsonSchema, name: string, around: Surroundings, resource: boolean) {
    this.name = name;
    this.shortName = name.slice(name.lastIndexOf(".") + 1);
    this.atomic = schema["x-kubernetes-map-type"] === "atomic";
    if (isOpen(schema, around)) this.rest = any;
    this.#schema = schema;
    this.#around = around;
    this.#resource = resource;
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= this.#compile();
    return this.#fields;
  }

  #compile(): ReadonlyMap<string, Field> {
    const below = { ...this.#around, open: isOpen(this.#schema, this.#around) };
    const fields = new Map<string, Field>();
    for (const [name, schema] of Object.entries(this.#schema.properties ?? {}))
      fields.set(name, fieldOf(name, typeOf(schema, `${this.name}.${name}`, below), schema));
    if (this.#resource) {
      fields.set("apiVersion", fieldOf("apiVersion", text, {}));
      fields.set("kind", fieldOf("kind", text, {}));
      fields.set("metadata", fieldOf("metadata", this.#around.metadata, {}));
    }
    return fields;
  }
}

const none: readonly never[] = [];
const atomic: Field["list"] = { type: "atomic", keys: none };
const replaced: Field["patch"] = { merge: false, retainKeys: false, mergeKey: undefined };

const isOpen = (schema: JsonSchema, { open }: Surroundings): boolean => open || schema["x-kubernetes-preserve-unknown-fields"] === true;

/** Nothing that was sent is left out or added: there is no Go struct behind it. */
const fieldOf = (name: string, type: Type, schema: JsonSchema): Field => ({
  name,
  type,
  required: false,
  presence: "pointer",
  enum: undefined,
  patch: replaced,
  list: listOf(schema),
  mapType: mapTypeOf(schema),
  ...(schema.default === undefined || schema.default === null ? {} : { default: schema.default }),
  proto: none,
  protoType: "",
});

const mapTypeOf = (schema: JsonSchema): Field["mapType"] => (schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : "granular");

function listOf(schema: JsonSchema): Field["list"] {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return atomic;
  return { type, keys: schema["x-kubernetes-list-map-keys"] ?? [] };
}

function typeOf(schema: JsonSchema, name: string, around: Surroundings): Type {
  if (schema["x-kubernetes-int-or-string"] === true) return { kind: "scalar", scalar: "intOrString" };
  switch (schema.type) {
    case "array":
      return listTypeOf(schema, name, around);
    case "integer":
      return { kind: "scalar", scalar: schema.format === "int32" ? "int32" : "int64" };
    case "number":
      return { kind: "scalar", scalar: "double" };
    case "boolean":
      return { kind: "scalar", scalar: "boolean" };
    case "string":
      return text;
    case "object":
      return objectType(schema, name, around);
    default:
      return hasFields(schema) ? objectType(schema, name, around) : any;
  }
}

function listTypeOf(schema: JsonSchema, name: string, around: Surroundings): ListType {
  const below = { ...around, open: isOpen(schema, around) };
  return { kind: "list", item: isSchema(schema.items) ? typeOf(schema.items, name, below) : any, list: listOf(schema) };
}

const hasFields = (schema: JsonSchema): boolean =>
  Object.keys(schema.properties ?? {}).length > 0 || schema["x-kubernetes-embedded-resource"] === true;

/** An object without a word about its fields may hold anything. */
function objectType(schema: JsonSchema, name: string, around: Surroundings): Type {
  if (hasFields(schema)) return new CustomStruct(schema, name, around, schema["x-kubernetes-embedded-resource"] === true);
  const { additionalProperties } = schema;
  const below = { ...around, open: isOpen(schema, around) };
  const value = isSchema(additionalProperties) ? typeOf(additionalProperties, name, below) : any;
  return { kind: "map", value, mapType: mapTypeOf(schema) };
}
