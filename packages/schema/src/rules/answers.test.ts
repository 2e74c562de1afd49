/** Rules on values of every kind, and what the validator of Kubernetes 1.36.3 says of them. The first line holds the values. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { field } from "@coxswain/machinery";
import { compileRules } from "./validate-rules.ts";

const [first = "", ...lines] = readFileSync(new URL("./kubernetes.answers.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const fixtures = JSON.parse(first);

for (const { on, rule, errors } of lines.map((line) => JSON.parse(line)))
  test(`${on}: ${rule}`, () => {
    const { schema, value, old } = fixtures[on];
    const ruled = { ...schema, "x-kubernetes-validations": [{ rule }] };
    const rules = compileRules({ type: "object", properties: { spec: ruled } }, { resource: true });
    const found = rules?.validate({ spec: value }, old === null ? undefined : { spec: old });
    assert.deepEqual(found?.errors.map(unnumbered).sort(), errors);
  });

/** The names of types are numbered, again each time. */
const unnumbered = (error: Parameters<typeof field.formatFieldError>[0]): string =>
  field.formatFieldError(error).replaceAll(/selfType\d+/g, "selfType");
