import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileRoot, compileSpec, texts } from "../custom-schema/structural-fixture.test.ts";
import type { JsonSchema } from "../structural/schema.ts";

const short: JsonSchema = { type: "string", maxLength: 1 };
const item: JsonSchema = { type: "object", properties: { name: { type: "string" }, text: short } };
const keyed: JsonSchema = { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };

/** What is invalid and has not changed is tolerated, where the old value is known. */
const cases: readonly {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly old: unknown;
  readonly value: unknown;
  readonly wrong: readonly string[];
}[] = [
  {
    name: "a field beside one that changed",
    schema: { type: "object", properties: { a: short, b: short } },
    old: { a: "long", b: "x" },
    value: { a: "long", b: "y" },
    wrong: [],
  },
  {
    name: "not a field that changed",
    schema: { type: "object", properties: { a: short } },
    old: { a: "long" },
    value: { a: "longer" },
    wrong: ["spec.a"],
  },
  {
    name: "not a field that was not there",
    schema: { type: "object", properties: { a: short, b: short } },
    old: { b: "long" },
    value: { a: "long" },
    wrong: ["spec.a"],
  },
  {
    name: "an entry of a map",
    schema: { type: "object", additionalProperties: short },
    old: { a: "long", b: "x" },
    value: { a: "long", c: "long" },
    wrong: ["spec.c"],
  },
  {
    name: "an item of a list with keys, wherever it stands",
    schema: keyed,
    old: [{ name: "a", text: "long" }],
    value: [
      { name: "b", text: "long" },
      { name: "a", text: "long" },
    ],
    wrong: ["spec[0].text"],
  },
  {
    name: "a list without keys only whole",
    schema: { type: "array", items: short },
    old: ["long"],
    value: ["long", "x"],
    wrong: ["spec[0]"],
  },
  { name: "a whole list", schema: { type: "array", items: short }, old: ["long"], value: ["long"], wrong: [] },
  {
    name: "an object that lacks what is now required",
    schema: { type: "object", required: ["b"], properties: { a: short } },
    old: { a: "x" },
    value: { a: "x" },
    wrong: [],
  },
  {
    name: "not an object with unknown fields",
    schema: { type: "object", required: ["b"], properties: { a: short }, "x-kubernetes-preserve-unknown-fields": true },
    old: { a: "x", other: 1 },
    value: { a: "x", other: 1 },
    wrong: ["spec.b"],
  },
  {
    name: "within an alternative only with all around it",
    schema: { type: "object", properties: { a: {}, b: {} }, allOf: [{ properties: { a: { maxLength: 1 } } }] },
    old: { a: "long", b: "x" },
    value: { a: "long", b: "y" },
    wrong: ["spec.a", "<nil>"],
  },
];

describe("ratcheting tolerates", () => {
  for (const { name, schema, old, value, wrong } of cases)
    test(name, () => {
      const errors = compileSpec(schema).validate({ spec: value }, { spec: old });
      assert.deepEqual(
        errors.map((error) => error.field),
        wrong,
      );
    });
});

test("kind and apiVersion of the root are never tolerated", () => {
  const schema = compileRoot({ type: "object", properties: { kind: short, other: short } });
  const object = { kind: "Seat", other: "long" };
  assert.deepEqual(texts(schema.validate(object, object)), []);
  assert.deepEqual(texts(schema.validate({ ...object, more: 1 }, object)), ["kind: Too long: may not be more than 1 byte"]);
});

describe("lists that were wrong already", () => {
  const schema = compileSpec({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" });
  test("may be so still", () => assert.deepEqual(schema.validate({ spec: ["a", "a", "b", "b"] }, { spec: ["a", "a"] }), []));
  test("but not become so", () =>
    assert.deepEqual(texts(schema.validate({ spec: ["a", "a"] }, { spec: ["a"] })), ['spec[1]: Duplicate value: "a"']));
});
