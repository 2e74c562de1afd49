import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, statusUpdatedAs } from "../../kind-under-test.ts";
import { podDisruptionBudget } from "./strategy.ts";

const cases = [
  { spec: { minAvailable: 1 }, expect: [] },
  { spec: { maxUnavailable: "50%" }, expect: [] },
  { spec: { minAvailable: -1 }, expect: ["spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"] },
  { spec: { minAvailable: "101%" }, expect: ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%'] },
  {
    spec: { minAvailable: "half" },
    expect: [
      `spec.minAvailable: Invalid value: "half": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ],
  },
  {
    spec: { unhealthyPodEvictionPolicy: "Never" },
    expect: ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  },
  {
    spec: { selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
    expect: ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  },
];
for (const { spec, expect } of cases)
  test(`a budget with ${JSON.stringify(spec)}`, () => assert.deepEqual(createdAs(podDisruptionBudget, { spec }).problems, expect));

test("a status counts and explains", () => {
  const conditions = [{ type: "Ready", status: "Maybe", reason: "1st", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const { problems } = statusUpdatedAs(podDisruptionBudget, createdAs(podDisruptionBudget, { spec: {} }).object, {
    expectedPods: -1,
    conditions,
  });
  assert.deepEqual(
    problems.map((text) => text.slice(0, 94)),
    [
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Un',
      'status.conditions[0].reason: Invalid value: "1st": a condition reason must start with alphabet',
      "status.expectedPods: Invalid value: -1: must be greater than or equal to 0",
    ].map((text) => text.slice(0, 94)),
  );
});

test("shows a budget", () => {
  const metadata = { name: "b", creationTimestamp: "2026-01-01T00:00:00Z" };
  const cells = podDisruptionBudget.columns?.cells(
    { metadata, spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 2 } },
    Date.parse("2026-01-01T00:00:30Z"),
  );
  assert.deepEqual(cells, ["b", "50%", "N/A", 2, "30s"]);
});
