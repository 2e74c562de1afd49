/**
 * Schemas and rules as Kubernetes shows them inside error messages: by its internal types, whose fields carry Go's names
 * and are all there.
 */
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { isSchema, someSchema } from "./parts.ts";

const nothing = null;

/** Go's name, the schema's own, and what absence is. In the order of Kubernetes' struct. */
const schemaFields = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", nothing],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", nothing],
  ["Maximum", "maximum", nothing],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", nothing],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", nothing],
  ["MinLength", "minLength", nothing],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", nothing],
  ["MinItems", "minItems", nothing],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", nothing],
  ["Enum", "enum", nothing],
  ["MaxProperties", "maxProperties", nothing],
  ["MinProperties", "minProperties", nothing],
  ["Required", "required", nothing],
  ["Items", "items", nothing],
  ["AllOf", "allOf", nothing],
  ["OneOf", "oneOf", nothing],
  ["AnyOf", "anyOf", nothing],
  ["Not", "not", nothing],
  ["Properties", "properties", nothing],
  ["AdditionalProperties", "additionalProperties", nothing],
  ["PatternProperties", "patternProperties", nothing],
  ["Dependencies", "dependencies", nothing],
  ["AdditionalItems", "additionalItems", nothing],
  ["Definitions", "definitions", nothing],
  ["ExternalDocs", "externalDocs", nothing],
  ["Example", "example", nothing],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", nothing],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", nothing],
  ["XListType", "x-kubernetes-list-type", nothing],
  ["XMapType", "x-kubernetes-map-type", nothing],
  ["XValidations", "x-kubernetes-validations", nothing],
] as const satisfies readonly (readonly [string, keyof JsonSchema, unknown])[];

/** The names in Go's order of the fields that the schema sets. */
export function* goNamesOf(schema: JsonSchema): Generator<string> {
  for (const [name, key, absent] of schemaFields) {
    const value = schema[key];
    if (value !== undefined && value !== null && value !== absent) yield name;
  }
}

/** A larger schema is shown as it was sent: each of its schemas would take some 700 bytes. */
const maxShown = 100;

/**
 * Returns the schema with Go's field names and zero values, as error messages show it. One of too many parts is returned as
 * it was sent.
 */
export function goSchema(schema: JsonSchema): unknown {
  let count = 0;
  return someSchema(schema, () => ++count > maxShown) ? schema : goForm(schema);
}

export function goItems(items: JsonSchema["items"]): unknown {
  const list = Array.isArray(items) ? items.filter(isSchema).map(goForm) : nothing;
  return { Schema: isSchema(items) ? goForm(items) : nothing, JSONSchemas: list };
}

export const goRule = (rule: ValidationRule): unknown => ({
  Rule: rule.rule,
  Message: rule.message ?? "",
  MessageExpression: rule.messageExpression ?? "",
  Reason: rule.reason ?? nothing,
  FieldPath: rule.fieldPath ?? "",
  OptionalOldSelf: rule.optionalOldSelf ?? nothing,
});

const goForm = (schema: JsonSchema): unknown =>
  Object.fromEntries(schemaFields.map(([name, key, absent]) => [name, fieldForm(schema, key) ?? absent]));

function fieldForm(schema: JsonSchema, key: keyof JsonSchema): unknown {
  const value = schema[key];
  if (value === undefined || value === null) return undefined;
  switch (key) {
    case "items":
      return goItems(schema.items);
    case "not":
      return isSchema(value) ? goForm(value) : undefined;
    case "allOf":
    case "anyOf":
    case "oneOf":
      return schema[key]?.map(goForm);
    case "properties":
    case "patternProperties":
    case "definitions":
      return sortedMap(schema[key] ?? {}, goForm);
    case "dependencies":
      return sortedMap(schema[key] ?? {}, (each) => ({
        Schema: isSchema(each) ? goForm(each) : nothing,
        Property: Array.isArray(each) ? each : nothing,
      }));
    case "additionalProperties":
    case "additionalItems":
      return { Allows: value !== false, Schema: isSchema(value) ? goForm(value) : nothing };
    case "externalDocs":
      return { Description: schema.externalDocs?.description ?? "", URL: schema.externalDocs?.url ?? "" };
    case "x-kubernetes-validations":
      return schema[key]?.map(goRule);
    default:
      return inOrder(value);
  }
}

/** Go shows the keys of JSON values in their order. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  return typeof value === "object" && value !== null ? sortedMap({ ...value }, inOrder) : value;
}

/** Go shows maps in the order of their keys. */
const sortedMap = <T>(map: Readonly<Record<string, T>>, form: (value: T) => unknown): unknown =>
  Object.fromEntries(
    Object.entries(map)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, form(value)]),
  );
