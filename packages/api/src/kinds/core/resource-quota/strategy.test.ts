import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs } from "../../kind-under-test.ts";
import { resourceQuota } from "./strategy.ts";

test("a scope counts only what belongs to it", () => {
  const scopeSelector = { matchExpressions: [{ scopeName: "BestEffort", operator: "Exists" }] };
  assert.deepEqual(createdAs(resourceQuota, { spec: { hard: { cpu: "1", pods: "1" }, scopeSelector } }).problems, [
    'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"Exists","Values":null}]}: unsupported scope applied to resource',
  ]);
});
