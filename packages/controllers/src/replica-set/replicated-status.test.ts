import assert from "node:assert/strict";
import { test } from "node:test";
import { podUnderTest } from "../shared/pods/pod-under-test.ts";
import type { Replicated } from "./replicated.ts";
import { nextStatus, type ObservedPods } from "./replicated-status.ts";

const labels = { app: "web", tier: "front" };
const set = (given: Partial<Replicated["spec"]> = {}, status: Replicated["status"] = { replicas: 0 }): Replicated => ({
  metadata: { name: "web", generation: 2 },
  spec: { replicas: 2, template: { metadata: { labels } }, ...given },
  status,
});
const nothing: ObservedPods = { active: [], terminating: [], failure: undefined, nowMs: 20_000 };
const failure = new Error("quota");
const failed = { type: "ReplicaFailure", status: "True", lastTransitionTime: "1970-01-01T00:00:20Z" };

const cases: readonly { name: string; set?: Replicated; observed: Partial<ObservedPods>; expect: object }[] = [
  { name: "counts nothing", observed: {}, expect: { replicas: 0, terminatingReplicas: 0, observedGeneration: 2 } },
  {
    name: "counts Pods by how far they are",
    set: set({ minReadySeconds: 10 }),
    observed: {
      active: [
        podUnderTest({ labels, readyAt: 10_000 }),
        podUnderTest({ labels, readyAt: 11_000 }),
        podUnderTest({ labels: { app: "web" } }),
      ],
      terminating: [podUnderTest()],
    },
    expect: {
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 2,
    },
  },
  { name: "leaves out what it does not know", observed: { terminating: undefined }, expect: { replicas: 0, observedGeneration: 2 } },
  {
    name: "reports why there are too few",
    observed: { failure, terminating: undefined },
    expect: { replicas: 0, observedGeneration: 2, conditions: [{ ...failed, reason: "FailedCreate", message: "quota" }] },
  },
  {
    name: "reports why there are too many",
    set: set({ replicas: 0 }),
    observed: { active: [podUnderTest()], failure, terminating: undefined },
    expect: { replicas: 1, observedGeneration: 2, conditions: [{ ...failed, reason: "FailedDelete", message: "quota" }] },
  },
  {
    name: "keeps a failure as it was first reported",
    set: set({}, { replicas: 0, conditions: [{ ...failed, reason: "FailedCreate", message: "before" }] }),
    observed: { failure, terminating: undefined },
    expect: { replicas: 0, observedGeneration: 2, conditions: [{ ...failed, reason: "FailedCreate", message: "before" }] },
  },
  {
    name: "forgets a failure when there is none",
    set: set({}, { replicas: 0, conditions: [{ ...failed, reason: "FailedCreate", message: "before" }] }),
    observed: { terminating: undefined },
    expect: { replicas: 0, observedGeneration: 2 },
  },
];
for (const { name, set: given = set(), observed, expect } of cases)
  test(name, () => {
    const status = nextStatus(given, { ...nothing, ...observed });
    assert.deepEqual(status, expect);
    assert.equal(nextStatus({ ...given, ...(status === undefined ? {} : { status }) }, { ...nothing, ...observed }), undefined);
  });
