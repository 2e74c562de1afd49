/** A schema as values are read by it: each part is looked at when a rule first gets there. */
import { additionalOf, itemsOf, propertyOf } from "../check/parts.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { isEmbedded, withResourceFields } from "./resource-fields.ts";

export type ValueKind = "intOrString" | "object" | "map" | "list" | "text" | "number" | "integer" | "boolean" | "preserved" | "unknown";

export class ValueNode {
  readonly schema: JsonSchema;
  readonly kind: ValueKind;
  readonly nullable: boolean;
  readonly #properties = new Map<string, ValueNode>();
  #entries: ValueNode | undefined;

  constructor(schema: JsonSchema, resource = isEmbedded(schema)) {
    this.schema = resource && schema.type === "object" ? withResourceFields(schema) : schema;
    this.kind = kindOf(this.schema);
    this.nullable = schema.nullable === true;
  }

  /** Of a declared field. */
  property(name: string): ValueNode | undefined {
    const known = this.#properties.get(name);
    if (known !== undefined) return known;
    const schema = propertyOf(this.schema, name);
    if (schema === undefined) return undefined;
    const node = new ValueNode(schema);
    this.#properties.set(name, node);
    return node;
  }

  /** Of the items of a list, or the values of a map. */
  get entries(): ValueNode {
    this.#entries ??= new ValueNode((this.kind === "list" ? itemsOf(this.schema) : additionalOf(this.schema)) ?? {});
    return this.#entries;
  }
}

function kindOf(schema: JsonSchema): ValueKind {
  if (schema["x-kubernetes-int-or-string"] === true) return "intOrString";
  switch (schema.type) {
    case "object":
      return schema.properties === undefined && additionalOf(schema) !== undefined ? "map" : "object";
    case "array":
      return "list";
    case "string":
      return "text";
    case "number":
    case "integer":
    case "boolean":
      return schema.type;
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] === true ? "preserved" : "unknown";
  }
}
