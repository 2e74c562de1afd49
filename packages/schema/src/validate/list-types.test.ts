import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileSpec, texts } from "../custom-schema/structural-fixture.test.ts";
import type { JsonSchema } from "../structural/schema.ts";

const set: JsonSchema = { type: "array", items: {}, "x-kubernetes-list-type": "set" };
const map = (...keys: string[]): JsonSchema => ({
  type: "array",
  items: { type: "object", nullable: true },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});

const cases: readonly {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly list: readonly unknown[];
  readonly expect: readonly string[];
}[] = [
  { name: "texts and numbers differ", schema: set, list: [1, "1", true, "true", null], expect: [] },
  {
    name: "each value is reported once",
    schema: set,
    list: ["a", "a", "a", 1, 1],
    expect: ['spec[1]: Duplicate value: "a"', "spec[4]: Duplicate value: 1"],
  },
  {
    name: "objects are the same whatever the order of their keys",
    schema: set,
    list: [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    expect: ['spec[1]: Duplicate value: {"a":1,"b":[2]}'],
  },
  {
    name: "one key",
    schema: map("name"),
    list: [{ name: "a" }, { name: "b" }, { name: "a", more: 1 }],
    expect: ['spec[2]: Duplicate value: {"name":"a"}'],
  },
  { name: "a key that is missing", schema: map("name"), list: [{}, { x: 1 }], expect: ["spec[1]: Duplicate value: {}"] },
  {
    name: "several keys",
    schema: map("port", "name"),
    list: [
      { port: 1, name: "a" },
      { port: 1, name: "b" },
      { name: "a", port: 1 },
    ],
    expect: ['spec[2]: Duplicate value: {"name":"a","port":1}'],
  },
  { name: "nothing has no keys", schema: map("port", "name"), list: [null, {}], expect: ["spec[1]: Duplicate value: {}"] },
];

describe("list types", () => {
  for (const { name, schema, list, expect } of cases) test(name, () => assert.deepEqual(listErrors(schema, list), expect));

  test("many are looked up, few are compared", () => {
    const list = Array.from({ length: 20 }, (_, i) => `${i}`);
    assert.deepEqual(listErrors(set, list), []);
    assert.deepEqual(listErrors(set, [...list, "7"]), ['spec[20]: Duplicate value: "7"']);
  });

  test("what is no object has no keys", () =>
    assert.deepEqual(listErrors({ ...map("name"), items: {} }, [{}, 5]), [
      "spec[1]: Invalid value: 5: must be an object for an array of list-type map",
    ]));

  test("anywhere", () => {
    const schema: JsonSchema = { type: "object", additionalProperties: { type: "array", items: set } };
    assert.deepEqual(texts(compileSpec(schema).validate({ spec: { k: [["a"], ["b", "b"]] } })), ['spec[k][1][1]: Duplicate value: "b"']);
  });
});

function listErrors(schema: JsonSchema, list: readonly unknown[]): readonly string[] {
  return texts(compileSpec(schema).validate({ spec: list }));
}
