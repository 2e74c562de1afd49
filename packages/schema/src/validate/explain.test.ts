import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileRoot, compileSpec, texts } from "../custom-schema/structural-fixture.test.ts";
import type { JsonSchema } from "../structural/schema.ts";

interface Case {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly expect: readonly string[];
}

function check(cases: readonly Case[]): void {
  for (const { name, schema, value, expect } of cases)
    test(name, () => assert.deepEqual(texts(compileSpec(schema).validate({ spec: value })), expect));
}

const number: JsonSchema = { type: "number" };
const integer: JsonSchema = { type: "integer" };
const string: JsonSchema = { type: "string" };
const array: JsonSchema = { type: "array", items: {} };

describe("types", () => {
  check([
    { name: "1.0 is an integer", schema: integer, value: 1.0, expect: [] },
    { name: "a bigint is one too", schema: integer, value: 9007199254740993n, expect: [] },
    { name: "an integer is a number", schema: number, value: 1, expect: [] },
    {
      name: "a fraction is no integer, and does not fit one",
      schema: integer,
      value: 1.5,
      expect: [
        'spec: Invalid value: "number": spec in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
      ],
    },
    {
      name: "an int32 is not long",
      schema: { ...integer, format: "int32" },
      value: 2147483648,
      expect: ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec'],
    },
    { name: "null", schema: string, value: null, expect: ['spec: Invalid value: "null": spec in body must be of type string: "null"'] },
    { name: "null where it may be", schema: { ...string, nullable: true }, value: null, expect: [] },
    {
      name: "int-or-string is neither true nor false",
      schema: { "x-kubernetes-int-or-string": true },
      value: true,
      expect: ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    },
    {
      name: "a format takes the place of the type",
      schema: { ...string, format: "date" },
      value: 5,
      expect: ['spec: Invalid value: "int64": spec in body must be of type date: "int64"'],
    },
    {
      name: "formats",
      schema: { ...string, format: "date" },
      value: "x",
      expect: ['spec: Invalid value: "x": spec in body must be of type date: "x"'],
    },
    { name: "unknown formats", schema: { ...string, format: "nonsense" }, value: "x", expect: [] },
  ]);
});

describe("numbers", () => {
  check([
    {
      name: "minimum",
      schema: { ...integer, minimum: 1 },
      value: 0,
      expect: ["spec: Invalid value: 0: spec in body should be greater than or equal to 1"],
    },
    {
      name: "exclusive limits",
      schema: { ...integer, maximum: 9, exclusiveMaximum: true },
      value: 9,
      expect: ["spec: Invalid value: 9: spec in body should be less than 9"],
    },
    {
      name: "large doubles have exponents",
      schema: { ...number, maximum: 1e7 },
      value: 12345678.5,
      expect: ["spec: Invalid value: 1.23456785e+07: spec in body should be less than or equal to 1e+07"],
    },
    {
      name: "bigints are exact",
      schema: { ...integer, multipleOf: 2 },
      value: 9007199254740993n,
      expect: ["spec: Invalid value: 9007199254740993: spec in body should be a multiple of 2"],
    },
    {
      name: "a fraction is no factor of integers",
      schema: { ...number, multipleOf: 0.5 },
      value: 1,
      expect: ["spec: Invalid value: 0: factor MultipleOf declared for spec must be positive: 0"],
    },
    { name: "but of fractions", schema: { ...number, multipleOf: 0.5 }, value: 1.5, expect: [] },
  ]);
});

describe("texts", () => {
  check([
    { name: "too long", schema: { ...string, maxLength: 1 }, value: "ab", expect: ["spec: Too long: may not be more than 1 byte"] },
    { name: "lengths are in characters", schema: { ...string, maxLength: 1, minLength: 1 }, value: "😀", expect: [] },
    {
      name: "too short",
      schema: { ...string, minLength: 2 },
      value: "😀",
      expect: ['spec: Invalid value: "😀": spec in body should be at least 2 chars long'],
    },
    {
      name: "only the first that is wrong",
      schema: { ...string, minLength: 2, pattern: "b" },
      value: "a",
      expect: ['spec: Invalid value: "a": spec in body should be at least 2 chars long'],
    },
    { name: "patterns match anywhere", schema: { ...string, pattern: "b+" }, value: "abc", expect: [] },
    {
      name: "patterns that are none match nothing",
      schema: { ...string, pattern: "(" },
      value: "a",
      expect: [
        "spec: Invalid value: \"a\": spec in body should match '(, but pattern is invalid: error parsing regexp: missing closing ): `(`'",
      ],
    },
  ]);
});

describe("lists and objects", () => {
  check([
    {
      name: "too few items",
      schema: { ...array, minItems: 2 },
      value: [1],
      expect: ["spec: Invalid value: 1: spec in body should have at least 2 items"],
    },
    { name: "too many items", schema: { ...array, maxItems: 1 }, value: [1, 2], expect: ["spec: Too many: 2: must have at most 1 item"] },
    {
      name: "items that are the same",
      schema: { ...array, uniqueItems: true },
      value: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      expect: ['spec: Invalid value: "": spec in body shouldn\'t contain duplicates'],
    },
    {
      name: "too few properties",
      schema: { type: "object", minProperties: 1 },
      value: {},
      expect: ["spec: Invalid value: 0: spec in body should have at least 1 properties"],
    },
    {
      name: "too many properties",
      schema: { type: "object", maxProperties: 0 },
      value: { a: 1 },
      expect: ["spec: Too many: 1: must have at most 0 items"],
    },
    {
      name: "properties that may not be",
      schema: { type: "object", additionalProperties: false },
      value: { a: 1 },
      expect: ['spec: Invalid value: "a": spec.a in body is a forbidden property'],
    },
    {
      name: "keys of prototypes are missing like others",
      schema: { type: "object", required: ["constructor", "toString"] },
      value: { toString: 1 },
      expect: ["spec.constructor: Required value"],
    },
    {
      name: "enums of objects",
      schema: { type: "object", enum: [{ a: 1, b: "<" }, "x"] },
      value: { a: 2 },
      expect: ['spec: Unsupported value: {"a":2}: supported values: "{\\"a\\":1,\\"b\\":\\"\\\\u003c\\"}", "x"'],
    },
  ]);
});

describe("alternatives", () => {
  const small: JsonSchema = { maximum: 1 };
  const large: JsonSchema = { minimum: 10 };
  const nil = '<nil>: Invalid value: "": ';
  check([
    {
      name: "oneOf: none, and what is wrong with the first of those that come nearest",
      schema: { ...integer, oneOf: [small, large] },
      value: 5,
      expect: [
        `${nil}"spec" must validate one and only one schema (oneOf). Found none valid`,
        "spec: Invalid value: 5: spec in body should be less than or equal to 1",
      ],
    },
    {
      name: "oneOf: more than one",
      schema: { ...integer, oneOf: [small, { maximum: 2 }] },
      value: 0,
      expect: [`${nil}"spec" must validate one and only one schema (oneOf). Found 2 valid alternatives`],
    },
    {
      name: "anyOf: the one with more matches is nearer",
      schema: {
        type: "object",
        properties: {},
        anyOf: [{ required: ["a"] }, { properties: { b: { minimum: 3 } } }],
        additionalProperties: {},
      },
      value: { b: 1 },
      expect: [
        `${nil}"spec" must validate at least one schema (anyOf)`,
        "spec.b: Invalid value: 1: spec.b in body should be greater than or equal to 3",
      ],
    },
    {
      name: "allOf: none",
      schema: { ...integer, allOf: [large] },
      value: 5,
      expect: [
        "spec: Invalid value: 5: spec in body should be greater than or equal to 10",
        `${nil}"spec" must validate all the schemas (allOf). None validated`,
      ],
    },
    {
      name: "allOf: some",
      schema: { ...integer, allOf: [large, { maximum: 7 }] },
      value: 5,
      expect: [
        "spec: Invalid value: 5: spec in body should be greater than or equal to 10",
        `${nil}"spec" must validate all the schemas (allOf)`,
      ],
    },
    { name: "not", schema: { ...integer, not: small }, value: 0, expect: [`${nil}"spec" must not validate the schema (not)`] },
  ]);
});

test("errors of the root have no field", () => {
  const schema = compileRoot({ type: "object", maxProperties: 0, additionalProperties: { type: "string" }, required: ["x"] });
  assert.deepEqual(texts(schema.validate({ a: 1 })), [
    "<nil>: Too many: 1: must have at most 0 items",
    'a: Invalid value: "integer": .a in body must be of type string: "integer"',
    "x: Required value",
  ]);
});

test("a text of a megabyte does not delay a pattern", () => {
  const schema = compileSpec({ ...string, pattern: "^(a+)+$" });
  const value = `${"a".repeat(1_000_000)}b`;
  assert.equal(schema.validate({ spec: value }).length, 1);
});

test("of a million errors, a thousand are reported", () => {
  const schema = compileSpec({ type: "array", items: string });
  assert.equal(schema.validate({ spec: new Array(1_000_000).fill(1) }).length, 1000);
});
