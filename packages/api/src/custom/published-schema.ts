/**
 * The schema of a custom resource as OpenAPI 3.0 publishes it: what the definition says, and what every object has.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema-in-openapi
 */
import type { GroupVersionKind } from "@coxswain/machinery";
import type { JsonSchema } from "@coxswain/schema";
import { listText, textsOfKinds, textsOfLists } from "../descriptions/every-kind.ts";
import { selectableFieldName } from "./selectable-fields.ts";

export type PublishedSchema = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI v3 schema that discovery publishes for a custom kind.
 * @param selectableFields the paths of the definition's selectable fields
 */
export function publishedSchema(
  schema: JsonSchema,
  { group, version, kind }: GroupVersionKind,
  selectableFields: readonly { readonly jsonPath: string }[] = [],
): PublishedSchema {
  const root = nodeOf(schema);
  return {
    ...root,
    properties: { ...asSchema(root.properties), ...objectProperties },
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...(selectableFields.length === 0 ? {} : { [selectableKey]: selectableFields.map(fieldPathOf) }),
  };
}

/** The name of a custom kind in OpenAPI: its group turned round. */
export const publishedName = ({ group, version, kind }: GroupVersionKind): string =>
  `${group.split(".").reverse().join(".")}.${version}.${kind}`;

/** The list of a custom resource. @param schema of its items, published */
export const publishedListSchema = (
  schema: PublishedSchema,
  { group, version, kind, listKind }: GroupVersionKind & { readonly listKind: string },
): PublishedSchema => ({
  description: listText(kind),
  type: "object",
  required: ["items"],
  properties: {
    apiVersion: text(textsOfLists.apiVersion),
    items: { description: textsOfLists.items, type: "array", items: refTo(publishedName({ group, version, kind })) },
    kind: text(textsOfLists.kind),
    metadata: { description: textsOfLists.metadata, allOf: [refTo(`${meta}.ListMeta`)] },
  },
  "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
  ...(schema[selectableKey] === undefined ? {} : { [selectableKey]: schema[selectableKey] }),
});

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const selectableKey = "x-kubernetes-selectable-fields";

const fieldPathOf = ({ jsonPath }: { readonly jsonPath: string }) => ({ fieldPath: selectableFieldName(jsonPath) });
const refTo = (name: string): PublishedSchema => ({ $ref: `#/components/schemas/${name}` });
const text = (description: string): PublishedSchema => ({ description, type: "string" });

/** Of every object, at the root and where another object is embedded. */
const objectProperties: PublishedSchema = {
  apiVersion: text(textsOfKinds.apiVersion),
  kind: text(textsOfKinds.kind),
  metadata: { description: textsOfKinds.metadata, allOf: [refTo(`${meta}.ObjectMeta`)] },
};

/** Left out where they say nothing: empty texts and lists, false. */
const facts = [
  "description",
  "title",
  "type",
  "format",
  "nullable",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "required",
  "externalDocs",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;
const saysNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);

/** A node that says what its values are. */
function nodeOf(schema: JsonSchema): Record<string, unknown> {
  const node = constraintsOf(schema, nodeOf);
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined)
    node.additionalProperties = typeof additionalProperties === "boolean" ? additionalProperties : nodeOf(additionalProperties);
  if (schema["x-kubernetes-int-or-string"] === true) spellOutIntOrString(node, schema);
  return schema["x-kubernetes-embedded-resource"] === true ? withObjectProperties(node) : node;
}

/** A node within allOf, anyOf, oneOf or not, which only narrows what values may be. */
const narrowing = (schema: JsonSchema): Record<string, unknown> => constraintsOf(schema, narrowing);

function constraintsOf(schema: JsonSchema, child: (schema: JsonSchema) => PublishedSchema): Record<string, unknown> {
  const node: Record<string, unknown> = {};
  for (const fact of facts) if (!saysNothing(schema[fact])) node[fact] = schema[fact];
  for (const fact of ["default", "example"] as const) if (schema[fact] !== undefined && schema[fact] !== null) node[fact] = schema[fact];
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    const branches = schema[junctor];
    if (branches !== undefined && branches.length > 0) node[junctor] = branches.map(narrowing);
  }
  if (schema.not !== undefined) node.not = narrowing(schema.not);
  if (isSchema(schema.items)) node.items = child(schema.items);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > 0) node.properties = Object.fromEntries(properties.map(([name, property]) => [name, child(property)]));
  return node;
}

const intOrString = [{ type: "integer" }, { type: "string" }];

/** For clients that do not know the extension, unless the definition does it itself. */
function spellOutIntOrString(node: Record<string, unknown>, { anyOf = [], allOf = [] }: JsonSchema): void {
  if (isIntOrString(anyOf) || isIntOrString(allOf[0]?.anyOf ?? [])) return;
  if (anyOf.length === 0) node.anyOf = intOrString;
  else node.allOf = [{ anyOf: intOrString }, ...asList(node.allOf)];
}

const isIntOrString = (branches: readonly JsonSchema[]): boolean =>
  branches.length === 2 && branches.every((branch, i) => Object.keys(branch).length === 1 && branch.type === intOrString[i]?.type);

function withObjectProperties(node: Record<string, unknown>): Record<string, unknown> {
  const required = asList(node.required);
  const more = ["kind", "apiVersion"].filter((name) => !required.includes(name));
  return { ...node, properties: { ...asSchema(node.properties), ...objectProperties }, required: [...required, ...more] };
}

const isSchema = (items: JsonSchema["items"]): items is JsonSchema => items !== undefined && !Array.isArray(items);
const asSchema = (value: unknown): PublishedSchema => (typeof value === "object" && value !== null ? { ...value } : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
