/** Rules cannot keep the server busy: one stops at its limit, all together at theirs, and so does what costs do not count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { compileRules } from "./validate-rules.ts";

const list: JsonSchema = { type: "array", items: { type: "string" } };
const map: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
const set: JsonSchema = { ...list, "x-kubernetes-list-type": "set" };
const names = Array.from({ length: 20_000 }, (_, i) => `name-${i}`);
const object = { l: names, s: names, m: Object.fromEntries(names.map((name) => [name, name])) };

function problems(rules: readonly object[], old: unknown = object): readonly string[] {
  const schema = { type: "object", properties: { l: list, m: map, s: set }, "x-kubernetes-validations": rules } as JsonSchema;
  return (compileRules(schema, { resource: true })?.validate(object, old).errors ?? []).map(field.formatFieldError);
}

const exceeded =
  "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule";
const bombs = [
  "self.l.all(x, self.l.all(y, x != 'z' || y != 'z'))",
  "self.l.all(x, self.m.all(k, k != ''))",
  "self.l.all(x, (self.s + self.s).size() > 0)",
  "self.l.all(x, self == oldSelf)",
];
for (const rule of bombs)
  test(`${rule} stops, and with it all rules`, () =>
    assert.deepEqual(problems([{ rule, message: "m" }, { rule: "false" }]), [`<nil>: Invalid value: "object": ${exceeded}: m`]));

test("all rules share a budget", () => {
  const rule = { rule: "self.l.all(x, self.l.all(y, true) || true)" };
  const cheap = { rule: "self.l.map(x, x).size() > 0 && self.l.map(x, x).size() > 0" };
  assert.match(problems([rule])[0] ?? "", /call cost exceeds limit/);
  assert.deepEqual(problems(Array.from({ length: 20 }, () => cheap)), [
    `<nil>: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run`,
  ]);
});

test("messages stop too", () => {
  const rule = { rule: "false", messageExpression: "string(self.l.all(x, self.l.all(y, x != 'z' || y != 'z')))" };
  const [found = "", ...more] = problems([rule, { rule: "false" }], {});
  assert.match(found, /: no further validation rules will be run due to call cost exceeds limit for messageExpression: "string/);
  assert.deepEqual(more, []);
});
