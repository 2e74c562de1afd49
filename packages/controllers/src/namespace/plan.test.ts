import assert from "node:assert/strict";
import { test } from "node:test";
import { plan, planAfterPass } from "./plan.ts";

const nowMs = Date.UTC(2026, 0, 1, 0, 0, 10);
const deletedAt = (seconds: number) => ({ metadata: { name: "a", deletionTimestamp: `2026-01-01T00:00:0${seconds}Z` } });

const cases = [
  { name: "a Namespace that is not being deleted is left alone", namespace: { metadata: { name: "a" } }, expect: { do: "nothing" } },
  { name: "a Namespace that was deleted just now waits", namespace: deletedAt(8), expect: { do: "wait", afterMs: 3_000 } },
  { name: "a Namespace that was deleted five seconds ago is emptied", namespace: deletedAt(5), expect: { do: "empty" } },
];
for (const { name, namespace, expect } of cases) test(name, () => assert.deepEqual(plan({ namespace, nowMs }), expect));

const [first, second] = [new Error("a"), new Error("b")];
const empty = { discovery: undefined, failures: [], remaining: [], estimateSeconds: 0 };
const passes = [
  { name: "an empty Namespace is finalized", pass: empty, expect: { do: "finalize" } },
  { name: "content that takes ten seconds is waited for", pass: { ...empty, estimateSeconds: 10 }, expect: { do: "wait", afterMs: 6_000 } },
  {
    name: "one failure is thrown as it is",
    pass: { ...empty, failures: [first], estimateSeconds: 10 },
    expect: { do: "fail", error: first },
  },
];
for (const { name, pass, expect } of passes) test(name, () => assert.deepEqual(planAfterPass(pass), expect));

test("several failures are thrown together, that of discovery first", () => {
  const planned = planAfterPass({ ...empty, discovery: { error: second }, failures: [first] });
  assert.equal(planned.do === "fail" ? planned.error.message : "", "b, a");
});
