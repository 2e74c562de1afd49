/** The errors of a definition's rules. Costs and texts are those of Kubernetes 1.36. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StructType } from "@coxswain/machinery";
import { field } from "@coxswain/machinery";
import { checkSchema, type SchemaCheck } from "../check/check-schema.ts";
import { schemaTolerance } from "../check/tolerance.ts";
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { ruleChecks } from "./check-rules.ts";

const metadata: StructType = { kind: "struct", name: "v1.ObjectMeta", shortName: "ObjectMeta", fields: new Map(), atomic: false };
const check: SchemaCheck = { ...schemaTolerance([]), unchanged: false, status: false, meta: { metadata, checkMetadata: () => [] } };

const problems = (schema: JsonSchema): readonly string[] =>
  checkSchema({ type: "object", properties: { a: schema } }, "s", { ...check, rules: ruleChecks() }).map(field.formatFieldError);

const ruled = (schema: JsonSchema, ...rules: ValidationRule[]): JsonSchema => ({ ...schema, "x-kubernetes-validations": rules });
const text: JsonSchema = { type: "string" };
const list: JsonSchema = { type: "array", items: text };
const hint = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

const costs: readonly { readonly name: string; readonly schema: JsonSchema; readonly expect: readonly string[] }[] = [
  { name: "a text may be as long as a request", schema: ruled(text, { rule: "self.contains('abc')" }), expect: [] },
  {
    name: "all pairs of a list without a limit",
    schema: ruled(list, { rule: "self.all(x, self.all(y, x == y))" }),
    expect: [
      `s.properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
      "s.properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      `s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
    ],
  },
  {
    name: "all pairs of a short list",
    schema: ruled({ ...list, maxItems: 10, items: { ...text, maxLength: 10 } }, { rule: "self.all(x, self.all(y, x == y))" }),
    expect: [],
  },
  {
    name: "enums bound texts",
    schema: { ...list, items: ruled({ ...text, enum: ["a", "bc"] }, { rule: "self.matches('^a+$')" }) },
    expect: [],
  },
];

for (const { name, schema, expect } of costs) test(name, () => assert.deepEqual(problems(schema), expect));

test("expressions have to compile, to bools and texts", () => {
  const schema = ruled(
    text,
    { rule: "self.x" },
    { rule: "self" },
    { rule: "true", messageExpression: "1" },
    { rule: "true", messageExpression: "(" },
  );
  assert.deepEqual(
    problems(schema).map((problem) => problem.replace(/^s.properties\[a\].x-kubernetes-validations/, "").replace(/\{"Rule.*?\}/, "…")),
    [
      "[0].rule: Invalid value: …: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection\n | self.x\n | ....^",
      "[1].rule: Invalid value: …: cel expression must evaluate to a bool",
      "[2].messageExpression: Invalid value: …: messageExpression must evaluate to a string",
      "[3].messageExpression: Invalid value: …: messageExpression compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | (\n | .^",
    ],
  );
});

test("rules cannot stand where nothing is known of the values", () => {
  const schema = ruled({ "x-kubernetes-preserve-unknown-fields": true }, { rule: "true" });
  assert.deepEqual(problems(schema), [
    "s.properties[a].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
  ]);
});

test("defaults keep to the rules, as old values and as new ones", () => {
  const short = { rule: "self.size() < 3", message: "too long" };
  assert.deepEqual(problems(ruled({ ...text, default: "abc" }, short)), ['s.properties[a].default: Invalid value: "abc": too long']);
  const first = { rule: "oldSelf.hasValue()", optionalOldSelf: true, message: "not at first" };
  assert.deepEqual(problems(ruled({ ...text, default: "ab" }, first)), ['s.properties[a].default: Invalid value: "ab": not at first']);
  assert.deepEqual(problems(ruled({ ...text, default: "ab" }, short)), []);
});
