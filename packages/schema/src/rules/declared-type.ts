/**
 * What expressions may read of the values of a schema, and how large it can be. Sizes follow from the schema's limits,
 * and where there are none from the largest request, 3 MiB of JSON.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#type-system-integration
 */
import { boolType, bytesType, type CelType, doubleType, durationType, dynType, intType, stringType, timestampType } from "@coxswain/cel";
import { additionalOf, hasDefault, itemsOf, propertiesOf } from "../check/parts.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { escapeName } from "./escape.ts";
import { isEmbedded, withResourceFields } from "./resource-fields.ts";

export interface DeclaredType {
  readonly shape: { readonly kind: "object" | "list" | "map" } | { readonly kind: "scalar"; readonly type: CelType };
  /** Of an object, by their escaped names. */
  readonly fields: ReadonlyMap<string, DeclaredType>;
  /** Of a list or a map. */
  readonly element?: DeclaredType;
  /** Items, entries, or bytes of a text. What has a fixed size counts as 0. */
  readonly maxElements: number;
  /** Bytes of JSON. */
  readonly minSize: number;
}

const maxRequestBytes = 3 * 1024 * 1024;

/** How often values can stand in the largest request, with a comma after each. */
export const maxOccurrences = (type: DeclaredType | undefined): number => Math.floor(maxRequestBytes / ((type?.minSize ?? 0) + 1));

/** Declares each schema once. */
export class TypeDeclarations {
  readonly #known = new Map<JsonSchema, DeclaredType | undefined>();

  /** Undefined for what expressions cannot see: fields of unknown type, and lists and maps of those. */
  of(schema: JsonSchema, resource = isEmbedded(schema)): DeclaredType | undefined {
    if (resource !== isEmbedded(schema)) return this.#declare(schema, resource);
    if (!this.#known.has(schema)) this.#known.set(schema, this.#declare(schema, resource));
    return this.#known.get(schema);
  }

  #declare(schema: JsonSchema, resource: boolean): DeclaredType | undefined {
    if (schema["x-kubernetes-int-or-string"] === true) return scalar(dynType, 1, characters(schema) ?? maxRequestBytes - 2);
    switch (schema.type) {
      case "array":
        return this.#list(schema);
      case "object":
        return additionalOf(schema) === undefined ? this.#object(resource ? withResourceFields(schema) : schema) : this.#map(schema);
      case "string":
        return text(schema);
      case "boolean":
        return scalar(boolType, 4);
      case "number":
        return scalar(doubleType, 1);
      case "integer":
        return scalar(intType, 1);
      default:
        return undefined;
    }
  }

  #list(schema: JsonSchema): DeclaredType | undefined {
    const items = itemsOf(schema);
    const element = items && this.of(items);
    if (element === undefined) return undefined;
    const maxElements = limit(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minSize + 1));
    return { shape: { kind: "list" }, fields: noFields, element, maxElements, minSize: 2 };
  }

  #map(schema: JsonSchema): DeclaredType | undefined {
    const values = additionalOf(schema);
    const element = values && this.of(values);
    if (element === undefined) return undefined;
    // A key of no characters, its quotes, a colon and a comma.
    const maxElements = limit(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minSize + 6));
    return { shape: { kind: "map" }, fields: noFields, element, maxElements, minSize: 2 };
  }

  #object(schema: JsonSchema): DeclaredType {
    const fields = new Map<string, DeclaredType>();
    const required = new Set(schema.required);
    let minSize = 2;
    for (const [name, property] of propertiesOf(schema)) {
      const type = this.of(property);
      if (type === undefined) continue;
      const escaped = escapeName(name);
      if (escaped !== undefined) fields.set(escaped, type);
      if (required.has(name) && !hasDefault(property)) minSize += byteLength(name) + type.minSize + 4;
    }
    return { shape: { kind: "object" }, fields, maxElements: 0, minSize };
  }
}

const noFields: DeclaredType["fields"] = new Map();

const scalar = (type: CelType, minSize: number, maxElements = 0): DeclaredType => ({
  shape: { kind: "scalar", type },
  fields: noFields,
  maxElements,
  minSize,
});

function text(schema: JsonSchema): DeclaredType {
  switch (schema.format) {
    case "byte":
      return scalar(bytesType, 2, limit(schema.maxLength) ?? maxRequestBytes - 2);
    case "duration":
      return scalar(durationType, 3, 32);
    case "date":
      return scalar(timestampType, 12, 12);
    case "date-time":
      return scalar(timestampType, 21, 32);
    default:
      return scalar(stringType, 2, characters(schema) ?? maxLengthOf(schema.enum) ?? maxRequestBytes - 2);
  }
}

/** A character has up to four bytes. */
const characters = ({ maxLength }: JsonSchema): number | undefined => {
  const most = limit(maxLength);
  return most === undefined ? undefined : most * 4;
};

const maxLengthOf = (values: readonly unknown[] | undefined): number | undefined =>
  values === undefined || values.length === 0
    ? undefined
    : values.reduce<number>((most, value) => Math.max(most, typeof value === "string" ? byteLength(value) : 0), 0);

const limit = (value: number | bigint | undefined): number | undefined => (value === undefined ? undefined : Math.max(0, Number(value)));

/** In UTF-8. */
export const byteLength = (value: string): number => encodeURIComponent(value.toWellFormed()).replaceAll(/%../g, "_").length;
