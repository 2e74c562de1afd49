import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedSchema } from "@coxswain/api";
import type { JsonSchema } from "@coxswain/schema";
import { customDefinitionV2 } from "./definition-v2.ts";

const gvk = { group: "boats.example.com", version: "v1", kind: "Seat" };
const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === "description" && typeof member === "string" ? undefined : member)));
const definitionOf = (schema: JsonSchema) =>
  withoutDescriptions(customDefinitionV2(publishedSchema(schema, gvk), (name) => ({ $ref: `#/definitions/${name}` })));

const metadata = { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" };
const object = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata };

// What the builder of apiextensions-apiserver 0.36.3 makes of the same schemas.
const nodes: readonly { name: string; schema: JsonSchema; is: unknown }[] = [
  { name: "no defaults", schema: { type: "string", default: "a", maxLength: 3 }, is: { type: "string", maxLength: 3 } },
  {
    name: "no alternatives",
    schema: { type: "string", anyOf: [{ minLength: 1 }], oneOf: [{ minLength: 1 }], allOf: [{ minLength: 1 }], not: { pattern: "a" } },
    is: { type: "string" },
  },
  { name: "no type for int-or-string", schema: { "x-kubernetes-int-or-string": true }, is: { "x-kubernetes-int-or-string": true } },
  { name: "nothing of what may be null", schema: { type: "object", nullable: true, properties: { a: { type: "string" } } }, is: {} },
  {
    name: "nor that it is required",
    schema: { type: "object", required: ["a", "b"], properties: { a: { type: "string", nullable: true }, b: { type: "string" } } },
    is: { type: "object", required: ["b"], properties: { a: {}, b: { type: "string" } } },
  },
  {
    name: "nothing of what keeps unknown fields",
    schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } }, required: ["a"] },
    is: { "x-kubernetes-preserve-unknown-fields": true, required: ["a"] },
  },
  {
    name: "no lists of nothing",
    schema: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "string" } },
    is: { "x-kubernetes-preserve-unknown-fields": true },
  },
  {
    name: "maps of null",
    schema: { type: "object", additionalProperties: { type: "string", nullable: true } },
    is: { type: "object", additionalProperties: {} },
  },
  {
    name: "embedded objects",
    schema: { type: "object", "x-kubernetes-embedded-resource": true },
    is: { type: "object", "x-kubernetes-embedded-resource": true, properties: object, required: ["kind", "apiVersion"] },
  },
  {
    name: "embedded objects that may be null",
    schema: { type: "object", "x-kubernetes-embedded-resource": true, nullable: true, properties: { spec: { type: "object" } } },
    is: { "x-kubernetes-embedded-resource": true, properties: object, required: ["kind", "apiVersion"] },
  },
  {
    name: "embedded objects that may be anything",
    schema: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    is: { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
];
for (const { name, schema, is } of nodes) {
  test(name, () => {
    const { properties } = definitionOf({ type: "object", properties: { spec: schema } }) as { properties: Record<string, unknown> };
    assert.deepEqual(properties, { ...object, spec: is });
  });
}

test("a kind that keeps unknown fields is an object and no more", () => {
  const schema: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { spec: { type: "object" } } };
  assert.deepEqual(definitionOf(schema), { type: "object", "x-kubernetes-group-version-kind": [gvk] });
});
