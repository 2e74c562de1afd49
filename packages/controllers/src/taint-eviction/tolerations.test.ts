import assert from "node:assert/strict";
import { test } from "node:test";
import { noExecuteTaints, toleratedSeconds, tolerates } from "./tolerations.ts";

const taint = { key: "a", value: "x", effect: "NoExecute" };
const cases = [
  { name: "the same key and value", toleration: { key: "a", value: "x" }, expect: true },
  { name: "another value", toleration: { key: "a", value: "y" }, expect: false },
  { name: "any value", toleration: { key: "a", operator: "Exists" }, expect: true },
  { name: "any taint", toleration: { operator: "Exists" }, expect: true },
  { name: "another key", toleration: { key: "b", operator: "Exists" }, expect: false },
  { name: "another effect", toleration: { operator: "Exists", effect: "NoSchedule" }, expect: false },
  { name: "an unknown operator", toleration: { key: "a", operator: "Like", value: "x" }, expect: false },
];
for (const { name, toleration, expect } of cases) test(`a toleration of ${name}`, () => assert.equal(tolerates(toleration, taint), expect));

const other = { key: "b", effect: "NoExecute" };
const forSeconds = (key: string, tolerationSeconds?: number) => ({
  key,
  operator: "Exists",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});
const times = [
  { name: "without taints for ever", taints: [], tolerations: [], expect: Number.POSITIVE_INFINITY },
  { name: "among what it does not tolerate not at all", taints: [taint, other], tolerations: [forSeconds("a")], expect: 0 },
  { name: "as long as it tolerates all", taints: [taint, other], tolerations: [forSeconds("a", 300), forSeconds("b", 60)], expect: 60 },
  { name: "for ever where it names no time", taints: [taint], tolerations: [forSeconds("a")], expect: Number.POSITIVE_INFINITY },
  { name: "not at all where it names a negative one", taints: [taint], tolerations: [forSeconds("a", -5)], expect: 0 },
  { name: "as long as the first toleration says", taints: [taint], tolerations: [forSeconds("a", 10), forSeconds("a", 5)], expect: 10 },
];
for (const { name, taints, tolerations, expect } of times)
  test(`a Pod may stay ${name}`, () => assert.equal(toleratedSeconds(taints, tolerations), expect));

test("only taints of effect NoExecute drive away", () => {
  assert.deepEqual(noExecuteTaints([taint, { ...taint, effect: "NoSchedule" }]), [taint]);
  assert.deepEqual(noExecuteTaints(undefined), []);
});
