import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileSpec, read } from "../custom-schema/structural-fixture.test.ts";
import type { JsonSchema } from "../structural/schema.ts";

const text: JsonSchema = { type: "string" };
const object = (properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const open: JsonSchema = { "x-kubernetes-preserve-unknown-fields": true };

interface Case {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly sent: unknown;
  readonly kept: unknown;
  readonly unknown?: readonly string[];
}

function check(cases: readonly Case[]): void {
  for (const { name, schema, sent, kept, unknown = [] } of cases)
    test(name, () => {
      const { spec, problems } = read(compileSpec(schema), structuredClone(sent));
      assert.deepEqual(spec, kept);
      assert.deepEqual(
        problems,
        unknown.map((path) => `unknown field "spec.${path}"`),
      );
    });
}

describe("unknown fields go", () => {
  check([
    {
      name: "from objects in lists and maps too, reported in order",
      schema: object({
        list: { type: "array", items: object({ a: text }) },
        map: { type: "object", additionalProperties: object({ a: text }) },
      }),
      sent: { zz: 1, map: { k: { a: "1", c: 1 } }, list: [{ a: "1" }, { b: 1 }] },
      kept: { map: { k: { a: "1" } }, list: [{ a: "1" }, {}] },
      unknown: ["list[1].b", "map.k.c", "zz"],
    },
    { name: "from what should not be an object", schema: object({ a: text }), sent: { a: { b: 1 } }, kept: { a: {} }, unknown: ["a.b"] },
    {
      name: "where anything is allowed, down to scalars",
      schema: { type: "object", additionalProperties: true },
      sent: { a: 1, b: { c: 1 }, d: [{ e: 1 }] },
      kept: { a: 1, b: {}, d: [{}] },
      unknown: ["b.c", "d[0].e"],
    },
    {
      name: "not where they are preserved, but again within declared properties",
      schema: object({ a: object({ b: text }) }, open),
      sent: { x: { y: 1 }, a: { b: "1", c: 1 } },
      kept: { x: { y: 1 }, a: { b: "1" } },
      unknown: ["a.c"],
    },
  ]);

  test("not from the items of a list that preserves them", () => {
    const schema = compileSpec({ type: "array", items: object({ a: object({}) }), ...open });
    assert.deepEqual(read(schema, [{ a: { b: 1 }, c: 1 }]), { spec: [{ a: {}, c: 1 }], problems: ['unknown field "spec[0].a.b"'] });
  });
});

describe("nulls", () => {
  check([
    { name: "go where none may be", schema: object({ a: text, b: text }), sent: { a: null, b: "1" }, kept: { b: "1" } },
    { name: "stay where they may be", schema: object({ a: { ...text, nullable: true } }), sent: { a: null }, kept: { a: null } },
    { name: "become the default", schema: object({ a: { ...text, default: "x" } }), sent: { a: null }, kept: { a: "x" } },
    {
      name: "beat the default where they may be",
      schema: object({ a: { ...text, nullable: true, default: "x" } }),
      sent: { a: null },
      kept: { a: null },
    },
    { name: "go from maps", schema: { type: "object", additionalProperties: text }, sent: { a: null, b: "1" }, kept: { b: "1" } },
    { name: "stay in lists", schema: { type: "array", items: text }, sent: [null, "1"], kept: [null, "1"] },
    {
      name: "of lists become the default",
      schema: { type: "array", items: { ...text, default: "x" } },
      sent: [null, "1"],
      kept: ["x", "1"],
    },
    { name: "stay where nothing is known", schema: object({}, open), sent: { a: null }, kept: { a: null } },
  ]);
});

describe("defaults", () => {
  check([
    { name: "fill in what is missing", schema: object({ a: { ...text, default: "x" }, b: text }), sent: {}, kept: { a: "x" } },
    {
      name: "are filled in themselves, and pruned",
      schema: object({ a: object({ b: { ...text, default: "x" } }, { default: { c: 1 } }) }),
      sent: {},
      kept: { a: { b: "x" } },
    },
    {
      name: "do not make the objects that they are in",
      schema: object({ a: object({ b: { ...text, default: "x" } }) }),
      sent: {},
      kept: {},
    },
    { name: "come into items", schema: { type: "array", items: object({ a: { ...text, default: "x" } }) }, sent: [{}], kept: [{ a: "x" }] },
    {
      name: "take the place of what prototypes have",
      schema: object({ constructor: { ...text, default: "x" } }),
      sent: {},
      kept: { constructor: "x" },
    },
  ]);

  test("are no one's in common", () => {
    const schema = compileSpec(object({ a: object({ b: text }, { default: { b: "x" } }) }));
    const [first, second] = [read(schema, {}).spec, read(schema, {}).spec] as { a: object }[];
    assert.deepEqual(first, second);
    assert.notEqual(first?.a, second?.a);
  });
});

test("keys of prototypes are data", () => {
  const schema = compileSpec({ type: "object", additionalProperties: object({ a: text }) });
  const sent = JSON.parse('{"__proto__":{"a":"1","b":2},"constructor":{"a":"2"}}');
  const { spec } = read(schema, sent);
  assert.equal(JSON.stringify(spec), '{"__proto__":{"a":"1"},"constructor":{"a":"2"}}');
});

test("a property of the name __proto__ is one like any other", () => {
  const schema = compileSpec(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'));
  assert.equal(JSON.stringify(read(schema, JSON.parse('{"__proto__":"x","b":1}')).spec), '{"__proto__":"x"}');
});
