/** What the findings about rules become: the compiler is a stand-in that knows costs by the rules' texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { openApiErrors } from "./open-api.ts";
import { type CheckedRule, type RuleChecker, type RuleCosts, totalCostErrors } from "./rule-checker.ts";

const check: RuleChecker = (schema) =>
  (schema["x-kubernetes-validations"] ?? []).map(({ rule, messageExpression }): CheckedRule => {
    const cost = Number(/cost (\d+)/.exec(rule)?.[1] ?? 1);
    return {
      cost,
      maxOccurrences: 1_000,
      usesOldSelf: rule.includes("oldSelf"),
      ...(rule.includes("bad") ? { error: { missing: false, detail: "compilation failed: no" } } : {}),
      ...(messageExpression === undefined ? {} : { messageExpressionCost: 20_000_000 }),
    };
  });

function problems(schema: JsonSchema, unchanged = false): string[] {
  const costs: RuleCosts = { total: 0, expensive: [] };
  const options = { requireValidTypes: true, requireAtomicSets: true, requireMapListKeys: true };
  const errors = openApiErrors(schema, "s", { ...options, rules: { check, costs, unchanged } });
  return [...errors, ...totalCostErrors(costs, "s")].map(field.formatFieldError);
}

const ruled = (rule: string, more: object = {}): JsonSchema => ({ type: "string", "x-kubernetes-validations": [{ rule, ...more }] });
const inList = (item: JsonSchema, more: object = {}): JsonSchema => ({ type: "array", items: item, ...more });
const inMap = (value: JsonSchema, more: object = {}): JsonSchema => ({ type: "object", additionalProperties: value, ...more });
const hint = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

interface Case {
  readonly name: string;
  readonly field: JsonSchema;
  readonly unchanged?: true;
  /** Paths begin at the field. */
  readonly expect: readonly string[];
}

const cases: readonly Case[] = [
  { name: "a cheap rule is fine", field: ruled("true"), expect: [] },
  {
    name: "a bad expression is shown with its rule",
    field: ruled("bad"),
    expect: [
      '.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"bad","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: no',
    ],
  },
  {
    name: "one evaluation may cost too much",
    field: ruled("cost 12000000"),
    expect: [`.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.200000x ${hint}`],
  },
  {
    name: "so may the expression of a message",
    field: ruled("true", { messageExpression: "x" }),
    expect: [
      `.x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of 2.0x ${hint}`,
    ],
  },
  { name: "what was there before may cost as much as it does", field: ruled("cost 12000000"), unchanged: true, expect: [] },
  { name: "a bounded list multiplies by its bound", field: inList(ruled("cost 100000"), { maxItems: 100 }), expect: [] },
  {
    name: "lists within maps multiply",
    field: inMap(inList(ruled("cost 1000"), { maxItems: 200 }), { maxProperties: 100 }),
    expect: [
      `.additionalProperties.items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 2.0x ${hint}`,
    ],
  },
  {
    name: "without a bound, the size of a request is one",
    field: inMap(inList(ruled("cost 20000")), { maxProperties: 2 }),
    expect: [
      `.additionalProperties.items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 2.0x ${hint}`,
    ],
  },
  {
    name: "all rules together may cost too much",
    field: { type: "object", properties: { b: ruled("cost 60000000"), c: ruled("cost 2000000000") } },
    unchanged: true,
    expect: [
      ".properties[c].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      ".properties[b].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      `s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 20.6x ${hint}`,
    ],
  },
  {
    name: "items of plain lists have no old values",
    field: inList(ruled("self == oldSelf")),
    expect: [
      '.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[a]',
    ],
  },
  {
    name: "an optional old value is for rules that use it",
    field: ruled("true", { optionalOldSelf: true }),
    expect: [".x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"],
  },
  {
    name: "where the schema is wrong, its rules are not compiled",
    field: { type: "object", properties: { b: { ...ruled("bad"), uniqueItems: true } }, "x-kubernetes-validations": [{ rule: "bad" }] },
    expect: [".properties[b].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"],
  },
];

for (const { name, field, unchanged = false, expect } of cases)
  test(name, () => {
    const found = problems({ type: "object", properties: { a: field } }, unchanged);
    assert.deepEqual(
      found.map((problem) => problem.replace(/^s\.properties\[a\]/, "")),
      expect,
    );
  });
