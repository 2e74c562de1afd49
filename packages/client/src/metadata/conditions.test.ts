import assert from "node:assert/strict";
import { test } from "node:test";
import { type Condition, conditionOf, isConditionTrue, type NewCondition, withCondition } from "./conditions.ts";

const at = (second: number) => ({ now: () => Date.UTC(2026, 0, 1, 0, 0, second) });
const ready: Condition = { type: "Ready", status: "True", reason: "Made", message: "", lastTransitionTime: "2026-01-01T00:00:01Z" };
const other: Condition = { ...ready, type: "Other" };

const cases: { name: string; before: Condition[] | undefined; next: NewCondition; after: Condition[] }[] = [
  {
    name: "the first",
    before: undefined,
    next: { type: "Ready", status: "True", reason: "Made" },
    after: [{ ...ready, lastTransitionTime: "2026-01-01T00:00:09Z" }],
  },
  {
    name: "another status is a transition, in the same place",
    before: [ready, other],
    next: { type: "Ready", status: "False", reason: "Gone", message: "m" },
    after: [{ ...ready, status: "False", reason: "Gone", message: "m", lastTransitionTime: "2026-01-01T00:00:09Z" }, other],
  },
  {
    name: "another reason is none",
    before: [other, ready],
    next: { type: "Ready", status: "True", reason: "Found", observedGeneration: 2 },
    after: [other, { ...ready, reason: "Found", observedGeneration: 2 }],
  },
];
for (const { name, before, next, after } of cases) test(name, () => assert.deepEqual(withCondition(before, next, at(9)), after));

test("a condition of an older generation is not true of what the object is now", () => {
  const of = (generation: number, observedGeneration?: number) => ({
    metadata: { generation },
    status: { conditions: [observedGeneration === undefined ? ready : { ...ready, observedGeneration }] },
  });
  assert.equal(isConditionTrue(of(2, 2), "Ready"), true);
  assert.equal(isConditionTrue(of(2, 1), "Ready"), false);
  assert.equal(isConditionTrue(of(2), "Ready"), true);
  assert.equal(isConditionTrue({}, "Ready"), false);
  assert.equal(conditionOf(of(1), "Ready"), ready);
});
