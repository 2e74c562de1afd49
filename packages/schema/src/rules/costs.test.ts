/** What rules may cost at most, as Kubernetes 1.36.3 estimates it. The first line is the schema. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ruleChecks } from "./check-rules.ts";

const [first = "", ...lines] = readFileSync(new URL("./kubernetes.costs.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const schema = JSON.parse(first);

for (const { rule, cost, times } of lines.map((line) => JSON.parse(line)))
  test(rule, () => {
    const [found] = ruleChecks().check({ ...schema, "x-kubernetes-validations": [{ rule }] }, { resource: false });
    assert.ok(typeof found === "object");
    assert.deepEqual({ error: found.error, cost: found.cost, times: found.maxOccurrences }, { error: undefined, cost, times });
  });
