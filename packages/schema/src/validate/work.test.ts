import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { valueErrors } from "./value-errors.ts";
import { compileValueSchema } from "./value-schema.ts";

const tooLong = "<nil>: Forbidden: checking the patterns and alternatives of the schema takes too long";
const manyStates = { type: "string", pattern: "^(?:[ab]*a[ab]{900}b)?$" };
const alternatives = (count: number): JsonSchema => ({ type: "string", oneOf: Array.from({ length: count }, () => ({ maxLength: 1 })) });

const cases: readonly { readonly name: string; readonly schema: JsonSchema; readonly value: unknown; readonly expect: string }[] = [
  { name: "a short text and a costly pattern", schema: manyStates, value: "", expect: "" },
  { name: "a long text and a costly pattern", schema: manyStates, value: "a".repeat(100_000), expect: tooLong },
  {
    name: "many short texts and a costly pattern",
    schema: { items: manyStates },
    value: Array(1_000).fill("ab".repeat(50)),
    expect: tooLong,
  },
  { name: "a long text and a cheap pattern", schema: { type: "string", pattern: "^[a-z]+$" }, value: "a".repeat(1_000_000), expect: "" },
  { name: "values of few alternatives", schema: { items: alternatives(1) }, value: Array(10_000).fill("a"), expect: "" },
  { name: "values of many alternatives", schema: { items: alternatives(1_000) }, value: Array(10_000).fill("a"), expect: tooLong },
];
for (const { name, schema, value, expect } of cases)
  test(`${name}: ${expect === "" ? "valid" : "takes too long"}`, () => {
    const errors = valueErrors(compileValueSchema(schema), value, () => undefined);
    assert.equal(errors.map(field.formatFieldError).join(), expect);
  });
