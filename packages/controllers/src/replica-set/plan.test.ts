import assert from "node:assert/strict";
import { test } from "node:test";
import { podUnderTest } from "../shared/pods/pod-under-test.ts";
import { type ObservedReplicas, plan } from "./plan.ts";

const podsOf = (count: number) => Array.from({ length: count }, (_, i) => podUnderTest({ name: `pod-${i}`, node: "n" }));

const planFor = (observed: Pick<ObservedReplicas, "wanted" | "active" | "related">) =>
  plan({ isBeingDeleted: false, terminating: undefined, nowMs: 0, ...observed });

const cases: readonly { name: string; wanted: number; active: number; expect: string }[] = [
  { name: "as many Pods as wanted: nothing is done", wanted: 3, active: 3, expect: "nothing" },
  { name: "fewer Pods than wanted: the missing ones are created", wanted: 3, active: 1, expect: "create 2" },
  { name: "more Pods than wanted: the surplus is deleted", wanted: 1, active: 3, expect: "delete 2" },
  { name: "no Pods wanted: all are deleted", wanted: 0, active: 3, expect: "delete 3" },
  { name: "5,000 Pods missing: 500 are created at a time", wanted: 5000, active: 0, expect: "create 500" },
  { name: "5,000 Pods too many: 500 are deleted at a time", wanted: 0, active: 5000, expect: "delete 500" },
];
for (const { name, wanted, active, expect } of cases)
  test(name, () => {
    const planned = planFor({ wanted, active: podsOf(active), related: () => [] });
    const count = planned.do === "create" ? planned.count : planned.do === "delete" ? planned.pods.length : undefined;
    assert.equal(count === undefined ? planned.do : `${planned.do} ${count}`, expect);
  });

test("Pods of other generations are read only where there is a choice", () => {
  const related = () => assert.fail("there is none");
  for (const wanted of [0, 3, 5]) planFor({ wanted, active: podsOf(3), related });
});

test("the surplus is taken from the node that has the most Pods of all generations", () => {
  const active = [podUnderTest({ name: "a", node: "empty" }), podUnderTest({ name: "b", node: "full" })];
  const related = () => [...active, podUnderTest({ name: "c", node: "full" })];
  assert.deepEqual(planFor({ wanted: 1, active, related }), { do: "delete", pods: [active[1]] });
});

test("a ReplicaSet that is being deleted creates and deletes no Pods", () => {
  const observed = { terminating: undefined, related: () => [], nowMs: 0, active: podsOf(1) };
  for (const wanted of [0, 3]) assert.deepEqual(plan({ ...observed, isBeingDeleted: true, wanted }), { do: "nothing" });
});
