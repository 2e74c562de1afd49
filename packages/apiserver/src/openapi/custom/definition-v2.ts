/**
 * The published schema of a custom resource in OpenAPI 2.0, which has no word for much of it. Clients that check objects
 * by it must not refuse what the server takes, so that it says less.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema-in-openapi
 */
import type { Schema } from "../schemas.ts";

/** What stays of a custom resource that keeps unknown fields: clients take a list of properties for a complete one. */
const open = ["x-kubernetes-group-version-kind", "x-kubernetes-selectable-fields"];

/** @param refTo the place of a named type in the document */
export function customDefinitionV2(schema: Schema, refTo: (name: string) => Schema): Schema {
  if (schema[preserve] !== true) return nodeV2(schema, refTo);
  const kept = Object.entries(schema).filter(([fact]) => open.includes(fact));
  return { type: "object", ...Object.fromEntries(kept) };
}

const preserve = "x-kubernetes-preserve-unknown-fields";

function nodeV2(schema: Schema, refTo: (name: string) => Schema): Schema {
  const { allOf, anyOf, oneOf, not, nullable, default: _, type, items, properties, additionalProperties, required, ...rest } = schema;
  const ref = referenceIn(allOf);
  if (ref !== undefined) return { ...rest, ...refTo(ref) };
  const node: Record<string, unknown> = rest;
  const loose = nullable === true || rest[preserve] === true;
  const child = (value: unknown): unknown => (isSchema(value) ? nodeV2(value, refTo) : value);
  if (items !== undefined && !loose) node.items = child(items);
  const members = loose ? embeddedMembers(schema) : properties;
  if (isSchema(members)) node.properties = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, child(member)]));
  if (additionalProperties !== undefined) node.additionalProperties = child(additionalProperties);
  const untyped = nullable === true || (rest[preserve] === true && type === "object") || (type === "array" && node.items === undefined);
  if (type !== undefined && !untyped) node.type = type;
  const needed = requiredV2(schema);
  if (needed.length > 0) node.required = needed;
  return node;
}

/** Of an embedded object, where its own properties cannot be expressed. */
function embeddedMembers(schema: Schema): Schema | undefined {
  const { properties } = schema;
  if (schema["x-kubernetes-embedded-resource"] !== true || schema[preserve] === true || !isSchema(properties)) return undefined;
  return Object.fromEntries(["apiVersion", "kind", "metadata"].map((name) => [name, properties[name]]));
}

/** What may be null is not required: clients do not distinguish null from absent. */
function requiredV2({ required, properties, additionalProperties, nullable, ...rest }: Schema): readonly unknown[] {
  if (!Array.isArray(required)) return [];
  const embedded = rest["x-kubernetes-embedded-resource"] === true ? ["kind", "apiVersion"] : [];
  // Where the properties are left out, whether they may be null does not matter.
  if (rest[preserve] === true) return required.filter((name) => !embedded.includes(name));
  if (isNullable(additionalProperties)) return embedded;
  return nullable === true || !isSchema(properties) ? required : required.filter((name) => !isNullable(properties[name]));
}

const isNullable = (schema: unknown): boolean => isSchema(schema) && schema.nullable === true;

/** The type that a lone allOf refers to. */
function referenceIn(allOf: unknown): string | undefined {
  const [first]: unknown[] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
  return isSchema(first) && typeof first.$ref === "string" ? first.$ref.slice(first.$ref.lastIndexOf("/") + 1) : undefined;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);
