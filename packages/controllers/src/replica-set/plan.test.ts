import assert from "node:assert/strict";
import { test } from "node:test";
import { podUnderTest } from "../shared/pods/pod-under-test.ts";
import { planReplicas } from "./plan.ts";

const podsOf = (count: number) => Array.from({ length: count }, (_, i) => podUnderTest({ name: `pod-${i}`, node: "n" }));

const cases: readonly { name: string; wanted: number; active: number; expect: string }[] = [
  { name: "does nothing when all are there", wanted: 3, active: 3, expect: "nothing" },
  { name: "creates what is missing", wanted: 3, active: 1, expect: "create 2" },
  { name: "deletes the surplus", wanted: 1, active: 3, expect: "delete 2" },
  { name: "deletes all when none is wanted", wanted: 0, active: 3, expect: "delete 3" },
  { name: "creates 500 at a time", wanted: 5000, active: 0, expect: "create 500" },
  { name: "deletes 500 at a time", wanted: 0, active: 5000, expect: "delete 500" },
];
for (const { name, wanted, active, expect } of cases)
  test(name, () => {
    const plan = planReplicas({ wanted, active: podsOf(active), related: () => [], nowMs: 0 });
    const count = plan.do === "create" ? plan.count : plan.do === "delete" ? plan.pods.length : undefined;
    assert.equal(count === undefined ? plan.do : `${plan.do} ${count}`, expect);
  });

test("asks for the Pods of other generations only where there is a choice", () => {
  const related = () => assert.fail("there is none");
  for (const wanted of [0, 3, 5]) planReplicas({ wanted, active: podsOf(3), related, nowMs: 0 });
});

test("takes from the node that has most Pods of all generations", () => {
  const active = [podUnderTest({ name: "a", node: "empty" }), podUnderTest({ name: "b", node: "full" })];
  const related = () => [...active, podUnderTest({ name: "c", node: "full" })];
  const plan = planReplicas({ wanted: 1, active, related, nowMs: 0 });
  assert.deepEqual(plan, { do: "delete", pods: [active[1]] });
});
