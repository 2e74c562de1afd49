/** A schema as reading walks it: what is known, what may be null, what is filled in. Values are checked elsewhere (validate/). */
import type { JsonSchema } from "./schema.ts";

export interface SchemaNode {
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Of keys that are no properties; undefined where there may be none. */
  readonly additional: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  /** Unknown fields stay. */
  readonly preserve: boolean;
  /** apiVersion, kind and metadata are known, and of the types that all objects have. */
  readonly embedded: boolean;
  readonly nullable: boolean;
  /** Undefined where there is none. */
  readonly default: unknown;
  /** The properties that have a default. */
  readonly defaulted: readonly (readonly [name: string, node: SchemaNode])[];
  readonly list: { readonly type: "set" } | { readonly type: "map"; readonly keys: readonly string[] } | undefined;
  /** Any value stays as it is. */
  readonly free: boolean;
  /** Here or further down there are lists of type set or map. */
  readonly hasLists: boolean;
  /** Here or further down there are embedded resources. */
  readonly hasEmbedded: boolean;
}

/** The schema must be structural; what only other schemas have is ignored. */
export function compileNode(schema: JsonSchema): SchemaNode {
  if (isPlain(schema)) return schema.nullable === true ? unknownNode : plainNode;
  const properties = schema.properties === undefined ? noProperties : compileProperties(schema.properties);
  const additional = additionalOf(schema);
  const items = isSchema(schema.items) ? compileNode(schema.items) : undefined;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const list = listOf(schema);
  const below = [...properties.values(), ...(additional === undefined ? [] : [additional]), ...(items === undefined ? [] : [items])];
  return {
    properties,
    additional,
    items,
    preserve,
    embedded,
    nullable: schema.nullable === true,
    default: schema.default ?? undefined,
    defaulted: properties.size === 0 ? nothing : [...properties].filter(([, node]) => node.default !== undefined),
    list,
    free: preserve && !embedded && below.length === 0,
    hasLists: list !== undefined || below.some((node) => node.hasLists),
    hasEmbedded: embedded || below.some((node) => node.hasEmbedded),
  };
}

export const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null && !Array.isArray(value);

const noProperties: ReadonlyMap<string, SchemaNode> = new Map();
const nothing: readonly never[] = [];

/** Where a schema has nothing to say but that there may be values: scalars stay, and objects lose all their fields. */
export const unknownNode: SchemaNode = {
  properties: noProperties,
  additional: undefined,
  items: undefined,
  preserve: false,
  embedded: false,
  nullable: true,
  default: undefined,
  defaulted: nothing,
  list: undefined,
  free: false,
  hasLists: false,
  hasEmbedded: false,
};

/** The same, but not null: what most scalars are, which is why they share it. */
const plainNode: SchemaNode = { ...unknownNode, nullable: false };

const isPlain = (schema: JsonSchema): boolean =>
  schema.properties === undefined &&
  schema.additionalProperties === undefined &&
  schema.items === undefined &&
  (schema.default ?? undefined) === undefined &&
  schema["x-kubernetes-preserve-unknown-fields"] !== true &&
  schema["x-kubernetes-embedded-resource"] !== true &&
  schema["x-kubernetes-list-type"] === undefined;

const compileProperties = (properties: Readonly<Record<string, JsonSchema>>): ReadonlyMap<string, SchemaNode> =>
  new Map(Object.entries(properties).map(([name, property]) => [name, compileNode(property)]));

function additionalOf({ additionalProperties }: JsonSchema): SchemaNode | undefined {
  if (isSchema(additionalProperties)) return compileNode(additionalProperties);
  return additionalProperties === undefined ? undefined : unknownNode;
}

function listOf(schema: JsonSchema): SchemaNode["list"] {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return { type: "set" };
    case "map":
      return { type: "map", keys: schema["x-kubernetes-list-map-keys"] ?? [] };
    default:
      return undefined;
  }
}
