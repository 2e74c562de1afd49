import assert from "node:assert/strict";
import { test } from "node:test";
import { type Findings, nextConditions } from "./conditions.ts";
import { graceSeconds } from "./grace.ts";

const nothing: Findings = { failures: [], remaining: [] };
const map = (count: number, finalizers: Record<string, number> = {}) => ({
  resource: "configmaps",
  group: "",
  count,
  finalizers: new Map(Object.entries(finalizers)),
});

const cases: { name: string; findings: Findings; expect: Record<string, string> }[] = [
  { name: "all is well", findings: nothing, expect: {} },
  {
    name: "a group that does not answer",
    findings: {
      ...nothing,
      discovery: { error: new Error("unable to retrieve the complete list of server APIs: a.b/v1: gone"), groups: 1 },
    },
    expect: {
      NamespaceDeletionDiscoveryFailure:
        "DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: a.b/v1: gone",
    },
  },
  {
    name: "failures are reported in order",
    findings: { ...nothing, failures: [new Error("b"), new Error("a")] },
    expect: { NamespaceDeletionContentFailure: "ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, b" },
  },
  {
    name: "what finalizers hold is counted by resource and by finalizer",
    findings: {
      ...nothing,
      remaining: [map(3, { "x/y": 2 }), { ...map(1, { "x/y": 1, "a/b": 1 }), resource: "seats", group: "cinema.example" }],
    },
    expect: {
      NamespaceContentRemaining:
        "SomeResourcesRemain: Some resources are remaining: configmaps. has 3 resource instances, seats.cinema.example has 1 resource instances",
      NamespaceFinalizersRemaining:
        "SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/b in 1 resource instances, x/y in 3 resource instances",
    },
  },
];

for (const { name, findings, expect } of cases)
  test(name, () => {
    const conditions = nextConditions([], findings, 0) ?? [];
    assert.equal(conditions.length, 5);
    const wrong = conditions.filter(({ status }) => status === "True");
    assert.deepEqual(Object.fromEntries(wrong.map(({ type, reason, message }) => [type, `${reason}: ${message}`])), expect);
  });

test("what says the same is not written again", () => {
  const first = nextConditions([], nothing, 0) ?? [];
  assert.equal(nextConditions(first, nothing, 60_000), undefined);
});

test("only another status counts as a transition", () => {
  const first = nextConditions([], { ...nothing, remaining: [map(2)] }, 0) ?? [];
  const timeOf = (conditions: typeof first | undefined) =>
    conditions?.find(({ type }) => type === "NamespaceContentRemaining")?.lastTransitionTime;
  assert.equal(timeOf(nextConditions(first, { ...nothing, remaining: [map(1)] }, 60_000)), "1970-01-01T00:00:00Z");
  assert.equal(timeOf(nextConditions(first, nothing, 60_000)), "1970-01-01T00:01:00Z");
});

const pod = (terminationGracePeriodSeconds: number, phase = "Running") => ({
  spec: { terminationGracePeriodSeconds, containers: [] },
  status: { phase },
});
const graces = [
  { name: "no Pods", pods: [], passedMs: 0, expect: 0 },
  { name: "the slowest counts", pods: [pod(10), pod(30)], passedMs: 1_000, expect: 30 },
  { name: "what has ended does not count", pods: [pod(10), pod(30, "Succeeded")], passedMs: 0, expect: 10 },
  { name: "after that it is no excuse", pods: [pod(30)], passedMs: 30_000, expect: 0 },
];
for (const { name, pods, passedMs, expect } of graces) test(`grace: ${name}`, () => assert.equal(graceSeconds(pods, passedMs), expect));
