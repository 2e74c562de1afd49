/** What rules say when they do not hold or cannot be answered, and which of them run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { compileRules } from "./validate-rules.ts";

const text: JsonSchema = { type: "string" };
const ruled = (schema: JsonSchema, ...rules: (string | ValidationRule)[]): JsonSchema => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const fields = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: "object", properties });
const keyed = (items: JsonSchema): JsonSchema => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items,
});

interface Findings {
  readonly errors: readonly string[];
  readonly tolerated: readonly string[];
}

function findings(spec: JsonSchema, value: unknown, old?: unknown): Findings {
  const found = compileRules(fields({ spec }), { resource: true })?.validate(
    { spec: value },
    old === undefined ? undefined : { spec: old },
  );
  return { errors: (found?.errors ?? []).map(field.formatFieldError), tolerated: (found?.tolerated ?? []).map(field.formatFieldError) };
}

const seat = fields({ row: text, n: { type: "integer" }, any: { "x-kubernetes-int-or-string": true }, m: text });
const words: readonly { readonly name: string; readonly rule: string | ValidationRule; readonly expect: string }[] = [
  { name: "the rule itself is the message", rule: " self.row != 'Z' ", expect: "spec: Invalid value: failed rule: self.row != 'Z'" },
  { name: "a message is trimmed", rule: { rule: "self.row != 'Z'", message: " row " }, expect: "spec: Invalid value: row" },
  {
    name: "an expression is a better message",
    rule: { rule: "self.row != 'Z'", message: "row", messageExpression: "'no ' + self.row" },
    expect: "spec: Invalid value: no Z",
  },
  {
    name: "a message of two lines is of no use",
    rule: { rule: "self.row != 'Z'", message: "row", messageExpression: "'no\\n' + self.row" },
    expect: "spec: Invalid value: row",
  },
  {
    name: "nor is one that cannot be made",
    rule: { rule: "self.row != 'Z'", messageExpression: "string(1 / self.n)" },
    expect: "spec: Invalid value: failed rule: self.row != 'Z'",
  },
  {
    name: "a reason and a field",
    rule: { rule: "self.row != 'Z'", reason: "FieldValueForbidden", fieldPath: ".row" },
    expect: "spec.row: Forbidden: failed rule: self.row != 'Z'",
  },
  {
    name: "duplicates have no message",
    rule: { rule: "self.row != 'Z'", reason: "FieldValueDuplicate", message: "m" },
    expect: "spec: Duplicate value",
  },
  {
    name: "what is not there has to be asked for",
    rule: "self.m == 'x'",
    expect: `spec: Invalid value: "object": no such key: m evaluating rule: self.m == 'x'`,
  },
  {
    name: "types that are known late may not fit",
    rule: "self.any < 3",
    expect: `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.any < 3`,
  },
  {
    name: "only a bool is an answer",
    rule: "self.row",
    expect: `spec: Invalid value: "object": rule compile error: cel expression must evaluate to a bool`,
  },
  {
    name: "what does not compile",
    rule: "self.x",
    expect: `spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^`,
  },
];

for (const { name, rule, expect } of words)
  test(name, () => {
    assert.deepEqual(findings(ruled(seat, rule), { row: "Z", n: 0, any: "abc" }).errors, [expect]);
  });

const same = { rule: "self == oldSelf", message: "changed" };
const places: readonly {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly old: unknown;
  readonly next: unknown;
  readonly expect: readonly string[];
}[] = [
  {
    name: "fields",
    schema: fields({ a: ruled(text, same) }),
    old: { a: "1" },
    next: { a: "2" },
    expect: [`spec.a: Invalid value: "2": changed`],
  },
  { name: "fields that are new", schema: fields({ a: ruled(text, same) }), old: {}, next: { a: "2" }, expect: [] },
  {
    name: "entries of maps",
    schema: { type: "object", additionalProperties: ruled(text, same) },
    old: { "a.b": "1" },
    next: { "a.b": "2", c: "3" },
    expect: [`spec[a.b]: Invalid value: "2": changed`],
  },
  {
    name: "items by their keys",
    schema: keyed(ruled(fields({ k: text, v: text }), same)),
    old: [
      { k: "1", v: "a" },
      { k: "2", v: "b" },
    ],
    next: [
      { k: "2", v: "x" },
      { k: "1", v: "a" },
      { k: "3", v: "n" },
    ],
    expect: ["spec[0]: Invalid value: changed"],
  },
  { name: "not items by their places", schema: { type: "array", items: ruled(text, same) }, old: ["1"], next: ["2"], expect: [] },
  {
    name: "new values too, where the old one is optional",
    schema: fields({ a: ruled(text, { rule: "oldSelf.hasValue()", optionalOldSelf: true, message: "new" }) }),
    old: {},
    next: { a: "1" },
    expect: [`spec.a: Invalid value: "1": new`],
  },
];

for (const { name, schema, old, next, expect } of places)
  test(`rules about changes see ${name}`, () => assert.deepEqual(findings(schema, next, old).errors, expect));

const good = { rule: "self != 'bad'", message: "is bad" };
const tolerant = fields({
  a: ruled(text, good),
  list: { type: "array", items: ruled(text, good) },
  keyed: keyed(ruled(fields({ k: text, v: text }), { rule: "self.v != 'bad'", message: "is bad" })),
});
const before = { a: "bad", list: ["bad"], keyed: [{ k: "1", v: "bad" }] };
const kept = ['spec.a: Invalid value: "bad": is bad', 'spec.list[0]: Invalid value: "bad": is bad', "spec.keyed[0]: Invalid value: is bad"];
const changes: readonly { readonly name: string; readonly next: Partial<typeof before>; readonly errors: readonly number[] }[] = [
  { name: "what did not change", next: {}, errors: [] },
  { name: "no item of a list that changed", next: { list: ["bad", "new"] }, errors: [1] },
  {
    name: "items with keys each for itself",
    next: {
      keyed: [
        { k: "1", v: "bad" },
        { k: "2", v: "new" },
      ],
    },
    errors: [],
  },
  { name: "no item whose key is new", next: { keyed: [{ k: "2", v: "bad" }] }, errors: [2] },
];

for (const { name, next, errors } of changes)
  test(`an update is forgiven ${name}`, () => {
    const found = findings(tolerant, { ...before, ...next }, before);
    assert.deepEqual(
      found.errors,
      errors.map((i) => kept[i]),
    );
    assert.deepEqual(
      found.tolerated,
      kept.filter((_, i) => !errors.includes(i)),
    );
    assert.equal(findings(tolerant, { ...before, ...next }).errors.length, 3, "but a new object is not");
  });

test("a schema without rules has nothing to run", () => assert.equal(compileRules(seat, { resource: true }), undefined));

test("every resource has apiVersion, kind and a name", () => {
  const rules = compileRules(ruled(fields({}), "self.kind == 'A' && self.apiVersion == 'b/v1' && self.metadata.name == 'x'"), {
    resource: true,
  });
  const [error] = rules?.validate({ kind: "A", apiVersion: "b/v1", metadata: { name: "y" } }).errors ?? [];
  assert.match(error?.message ?? "", /failed rule/);
  assert.equal(error?.field, "<nil>");
});
