import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs } from "../kind-under-test.ts";
import { flowSchema } from "./flow-schema/strategy.ts";
import { flowSchemas, priorityLevels } from "./mandatory.ts";
import { priorityLevelConfiguration } from "./priority-level-configuration/strategy.ts";

const since = "2026-01-02T03:04:05Z";

test("what a cluster begins with keeps its own rules", () => {
  for (const object of flowSchemas(since)) assert.deepEqual(createdAs(flowSchema, object).problems, []);
  for (const object of priorityLevels()) assert.deepEqual(createdAs(priorityLevelConfiguration, object).problems, []);
});

test("every flow has its level", () => {
  const names = new Set(priorityLevels().map(({ metadata }) => metadata?.name));
  for (const { spec } of flowSchemas(since)) assert.ok(names.has(spec?.priorityLevelConfiguration.name));
});

const changed = [
  {
    kind: "FlowSchema",
    name: "catch-all",
    part: { matchingPrecedence: 9999 },
    expect: /^spec: Invalid value: .* spec of 'catch-all' must equal the fixed value$/,
  },
  { kind: "FlowSchema", name: "probes", part: { matchingPrecedence: 3 }, expect: undefined },
  { kind: "PriorityLevelConfiguration", name: "exempt", part: { exempt: { lendablePercent: 50 } }, expect: undefined },
  {
    kind: "PriorityLevelConfiguration",
    name: "catch-all",
    part: { limited: { limitResponse: { type: "Reject" }, nominalConcurrencyShares: 6 } },
    expect: /spec of 'catch-all' must equal the fixed value$/,
  },
] as const;

for (const { kind, name, part, expect } of changed) {
  test(`${kind} ${name} ${expect ? "is fixed" : "may be changed"}`, () => {
    const objects = kind === "FlowSchema" ? flowSchemas(since) : priorityLevels();
    const object = objects.find(({ metadata }) => metadata?.name === name);
    const body = { ...object, spec: { ...object?.spec, ...part } };
    const { problems } = kind === "FlowSchema" ? createdAs(flowSchema, body) : createdAs(priorityLevelConfiguration, body);
    if (expect) assert.match(problems.join("\n"), expect);
    else assert.deepEqual(problems, []);
  });
}
