import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StructType, Type } from "@coxswain/machinery";
import { compileSpec, metadataType } from "../custom-schema/structural-fixture.test.ts";
import type { JsonSchema } from "./schema.ts";

function typeOf(schema: JsonSchema): Type {
  return compileSpec(schema).type.fields.get("spec")!.type;
}

const struct = (type: Type): StructType => {
  assert.equal(type.kind, "struct");
  return type as StructType;
};

test("a resource has what all objects have", () => {
  const { type } = compileSpec({ type: "object" });
  assert.equal(type.name, "com.example.v1.Seat");
  assert.equal(type.shortName, "Seat");
  assert.equal(type.fields.get("metadata")?.type, metadataType);
  assert.deepEqual([...type.fields.keys()].sort(), ["apiVersion", "kind", "metadata", "spec", "status"]);
});

describe("types of values", () => {
  const cases: readonly { readonly name: string; readonly schema: JsonSchema; readonly expect: Type }[] = [
    { name: "integers", schema: { type: "integer" }, expect: { kind: "scalar", scalar: "int64" } },
    { name: "int-or-string", schema: { "x-kubernetes-int-or-string": true }, expect: { kind: "scalar", scalar: "intOrString" } },
    { name: "anything", schema: { "x-kubernetes-preserve-unknown-fields": true }, expect: { kind: "scalar", scalar: "any" } },
    {
      name: "maps that are replaced whole",
      schema: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
      expect: { kind: "map", value: { kind: "scalar", scalar: "string" }, mapType: "atomic" },
    },
    {
      name: "objects of which nothing is said",
      schema: { type: "object" },
      expect: { kind: "map", value: { kind: "scalar", scalar: "any" }, mapType: "granular" },
    },
    {
      name: "sets in lists",
      schema: { type: "array", items: { type: "array", items: { type: "number" }, "x-kubernetes-list-type": "set" } },
      expect: {
        kind: "list",
        item: { kind: "list", item: { kind: "scalar", scalar: "double" }, list: { type: "set", keys: [] } },
        list: { type: "atomic", keys: [] },
      },
    },
  ];
  for (const { name, schema, expect } of cases) test(name, () => assert.deepEqual(typeOf(schema), expect));
});

test("lists that are maps have keys with defaults", () => {
  const item: JsonSchema = { type: "object", properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } } };
  const spec = struct(
    typeOf({
      type: "object",
      properties: {
        ports: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"] },
      },
    }),
  );
  const ports = spec.fields.get("ports");
  assert.deepEqual(ports?.list, { type: "map", keys: ["port", "protocol"] });
  assert.equal(ports?.type.kind === "list" && struct(ports.type.item).fields.get("protocol")?.default, "TCP");
});

test("what preserves unknown fields does so all the way down", () => {
  const inner: JsonSchema = { type: "object", properties: { a: { type: "string" } } };
  const spec = struct(typeOf({ type: "object", properties: { inner }, "x-kubernetes-preserve-unknown-fields": true }));
  const any = { kind: "scalar", scalar: "any" };
  assert.deepEqual(spec.rest, any);
  assert.deepEqual(struct(spec.fields.get("inner")!.type).rest, any);
  assert.equal(struct(typeOf(inner)).rest, undefined);
});

test("embedded resources have what all objects have", () => {
  const fields = struct(typeOf({ type: "object", "x-kubernetes-embedded-resource": true })).fields;
  assert.deepEqual([...fields.keys()], ["apiVersion", "kind", "metadata"]);
});
