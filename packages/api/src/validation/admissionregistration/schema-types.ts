/**
 * The types that OpenAPI schemas are for expressions, as Kubernetes has them: what a schema says by `oneOf` alone, such as a
 * quantity, is not there.
 */
import * as cel from "@coxswain/cel";

/** A schema of an OpenAPI document, as far as types of expressions need it. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly { readonly group?: string; readonly version?: string; readonly kind?: string }[];
}

/** The schemas of a document, by their names. */
export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

interface ObjectSchema {
  readonly schema: OpenApiSchema;
  readonly schemas: OpenApiSchemas;
}

const refPrefix = "#/components/schemas/";
const typeAndMeta: OpenApiSchemas = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

/** Types are made when a field is asked for: schemas may refer to themselves. */
export class SchemaTypes implements cel.TypeProvider {
  readonly #objects = new Map<string, ObjectSchema>();

  /** The type of whole objects with this schema; its name is the beginning of those of its parts. */
  add(name: string, schema: OpenApiSchema, schemas: OpenApiSchemas): cel.CelType {
    this.#objects.set(name, { schema: { ...schema, properties: { ...typeAndMeta, ...schema.properties } }, schemas });
    return cel.objectType(name);
  }

  hasType(name: string): boolean {
    return this.#objects.has(name);
  }

  fieldType(typeName: string, field: string): cel.CelType | undefined {
    const known = this.#objects.get(typeName);
    const property = known?.schema.properties;
    if (known === undefined || property === undefined || !Object.hasOwn(property, field)) return undefined;
    return this.#typeOf(property[field], known.schemas, `${typeName}.${field}`);
  }

  #typeOf(given: OpenApiSchema | undefined, schemas: OpenApiSchemas, path: string): cel.CelType | undefined {
    const schema = resolve(given, schemas);
    if (schema === undefined) return undefined;
    if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return cel.dynType;
    switch (schema.type) {
      case "array": {
        const item = this.#typeOf(schema.items, schemas, `${path}.@idx`);
        return item === undefined ? undefined : cel.listOf(item);
      }
      case "object":
        return this.#objectType(schema, schemas, path);
      case "string":
        return formats[schema.format ?? ""] ?? cel.stringType;
      case "boolean":
        return cel.boolType;
      case "integer":
        return cel.intType;
      case "number":
        return cel.doubleType;
      default:
        return undefined;
    }
  }

  #objectType(schema: OpenApiSchema, schemas: OpenApiSchemas, path: string): cel.CelType | undefined {
    const { additionalProperties: values } = schema;
    if (typeof values === "object") {
      const value = this.#typeOf(values, schemas, `${path}.@elem`);
      return value === undefined ? undefined : cel.mapOf(cel.stringType, value);
    }
    this.#objects.set(path, { schema, schemas });
    return cel.objectType(path);
  }
}

const formats: Readonly<Record<string, cel.CelType>> = {
  __proto__: null as never,
  byte: cel.bytesType,
  duration: cel.durationType,
  date: cel.timestampType,
  "date-time": cel.timestampType,
};

/** A document may refer from name to name; each is followed once. */
function resolve(given: OpenApiSchema | undefined, schemas: OpenApiSchemas): OpenApiSchema | undefined {
  let schema = given;
  for (let steps = 0; steps < 10 && schema !== undefined; steps++) {
    const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
    if (ref === undefined) return schema;
    const name = ref.slice(refPrefix.length);
    schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  }
  return schema;
}
