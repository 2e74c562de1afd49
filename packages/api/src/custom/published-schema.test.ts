import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "@coxswain/schema";
import { publishedListSchema, publishedName, publishedSchema } from "./published-schema.ts";

const gvk = { group: "boats.example.com", version: "v1", kind: "Seat" };
const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === "description" && typeof member === "string" ? undefined : member)));
const published = (spec: JsonSchema): unknown => {
  const { properties } = publishedSchema({ type: "object", properties: { spec } }, gvk);
  return withoutDescriptions((properties as { spec: unknown }).spec);
};

const ref = (name: string) => ({ $ref: `#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.${name}` });
const metadata = { allOf: [ref("ObjectMeta")] };
const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };
const either = [{ type: "integer" }, { type: "string" }];

// What the builder of apiextensions-apiserver 0.36.3 makes of the same schemas.
const nodes: readonly { name: string; schema: JsonSchema; is: unknown }[] = [
  {
    name: "bounds stay, what says nothing goes",
    schema: { type: "integer", format: "int32", minimum: 0, exclusiveMinimum: false, nullable: false, enum: [], title: "" },
    is: { type: "integer", format: "int32", minimum: 0 },
  },
  { name: "a default may be empty", schema: { type: "string", default: "" }, is: { type: "string", default: "" } },
  { name: "a default of null goes", schema: { type: "string", nullable: true, default: null }, is: { type: "string", nullable: true } },
  { name: "no properties are none", schema: { type: "object", properties: {} }, is: { type: "object" } },
  {
    name: "int-or-string is spelt out",
    schema: { "x-kubernetes-int-or-string": true },
    is: { "x-kubernetes-int-or-string": true, anyOf: either },
  },
  {
    name: "unless the definition does so",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    is: { "x-kubernetes-int-or-string": true, anyOf: either },
  },
  {
    name: "in allOf where anyOf says something else",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ pattern: "a" }], allOf: [{ minLength: 1 }] },
    is: { "x-kubernetes-int-or-string": true, anyOf: [{ pattern: "a" }], allOf: [{ anyOf: either }, { minLength: 1 }] },
  },
  {
    name: "an embedded object has what every object has",
    schema: { type: "object", "x-kubernetes-embedded-resource": true, required: ["spec"], properties: { spec: { type: "object" } } },
    is: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      required: ["spec", "kind", "apiVersion"],
      properties: { spec: { type: "object" }, ...typeMeta, metadata },
    },
  },
  {
    name: "additional properties and items are nodes",
    schema: { type: "object", additionalProperties: { type: "array", items: { "x-kubernetes-int-or-string": true } } },
    is: { type: "object", additionalProperties: { type: "array", items: { "x-kubernetes-int-or-string": true, anyOf: either } } },
  },
  {
    name: "alternatives only narrow",
    schema: { type: "object", oneOf: [{ required: ["a"] }, { not: { properties: { a: { pattern: "x" } } } }], anyOf: [] },
    is: { type: "object", oneOf: [{ required: ["a"] }, { not: { properties: { a: { pattern: "x" } } } }] },
  },
  {
    name: "a property may have any name",
    schema: { type: "object", properties: JSON.parse('{"__proto__": {"type": "string"}}') },
    is: { type: "object", properties: JSON.parse('{"__proto__": {"type": "string"}}') },
  },
];
for (const { name, schema, is } of nodes) test(name, () => assert.deepEqual(published(schema), is));

test("the root has what every object has, in place of what the definition says of it", () => {
  const schema: JsonSchema = { type: "object", required: ["spec"], properties: { metadata: { type: "object" }, spec: { type: "object" } } };
  assert.deepEqual(withoutDescriptions(publishedSchema(schema, gvk, [{ jsonPath: ".spec.row" }])), {
    type: "object",
    required: ["spec"],
    properties: { metadata, spec: { type: "object" }, ...typeMeta },
    "x-kubernetes-group-version-kind": [gvk],
    "x-kubernetes-selectable-fields": [{ fieldPath: "spec.row" }],
  });
});

test("the list refers to its items", () => {
  const schema = publishedSchema({ type: "object" }, gvk, [{ jsonPath: ".spec.row" }]);
  assert.equal(publishedName(gvk), "com.example.boats.v1.Seat");
  assert.deepEqual(withoutDescriptions(publishedListSchema(schema, { ...gvk, listKind: "SeatList" })), {
    type: "object",
    required: ["items"],
    properties: {
      ...typeMeta,
      items: { type: "array", items: { $ref: "#/components/schemas/com.example.boats.v1.Seat" } },
      metadata: { allOf: [ref("ListMeta")] },
    },
    "x-kubernetes-group-version-kind": [{ ...gvk, kind: "SeatList" }],
    "x-kubernetes-selectable-fields": [{ fieldPath: "spec.row" }],
  });
});
