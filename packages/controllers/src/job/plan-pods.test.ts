import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "./job-settings.ts";
import { jobWith, nowMs, type PodWith, podWith, seenWith } from "./job-under-test.ts";
import { planPods } from "./plan-pods.ts";
import { nextFailures, noFailures, remainingDelay } from "./pod-backoff.ts";

interface Case {
  readonly name: string;
  readonly spec: Partial<NonNullable<Job["spec"]>>;
  readonly status?: Job["status"];
  readonly pods: readonly PodWith[];
  readonly expect: object;
}

const indexed = { completionMode: "Indexed" } as const;
const create = (...indexes: (number | undefined)[]) => ({ do: "create", indexes });
const remove = (...pods: number[]) => ({ do: "delete", pods: pods.map((i) => `sum-${i}`) });
const nothing = { do: "nothing" };

const cases: readonly Case[] = [
  { name: "as many as may run at a time", spec: { completions: 5, parallelism: 2 }, pods: [{}], expect: create(undefined) },
  { name: "no more than are to come", spec: { completions: 3, parallelism: 3 }, pods: [{ phase: "Succeeded" }, {}, {}], expect: nothing },
  { name: "none beyond the first success without a number", spec: { parallelism: 3 }, pods: [{ phase: "Succeeded" }, {}], expect: nothing },
  { name: "those that are least far go", spec: { completions: 5, parallelism: 1 }, pods: [{}, { phase: "Pending" }], expect: remove(1) },
  { name: "all go when it is suspended", spec: { parallelism: 2, suspend: true }, pods: [{}, {}], expect: remove(0, 1) },
  {
    name: "one that is being deleted is replaced",
    spec: { completions: 1 },
    pods: [{ deleted: true }],
    expect: { do: "wait", afterMs: 10_000 },
  },
  {
    name: "or not before it has ended",
    spec: { completions: 1, podReplacementPolicy: "Failed" },
    pods: [{ deleted: true }],
    expect: nothing,
  },
  {
    name: "the first indexes that are free",
    spec: { ...indexed, completions: 9, parallelism: 4 },
    status: { completedIndexes: "0,2" },
    pods: [{ index: 3 }],
    expect: create(1, 4, 5),
  },
  {
    name: "of one index one stays",
    spec: { ...indexed, completions: 3, parallelism: 3 },
    pods: [{ index: 0 }, { index: 0, phase: "Pending" }, { index: 1 }],
    expect: remove(1),
  },
  {
    name: "whoever has no index goes",
    spec: { ...indexed, completions: 3, parallelism: 3 },
    pods: [{}, { index: 7 }, { index: 1 }],
    expect: remove(0, 1),
  },
  {
    name: "a failure is not replaced at once",
    spec: { completions: 1 },
    pods: [{ phase: "Failed", ended: 4 }],
    expect: { do: "wait", afterMs: 6_000 },
  },
  { name: "but after a while", spec: { completions: 1 }, pods: [{ phase: "Failed", ended: 11 }], expect: create(undefined) },
  {
    name: "each index waits for itself",
    spec: { ...indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 5 },
    pods: [
      { index: 0, phase: "Failed", ended: 15, failures: 1 },
      { index: 1, phase: "Failed", ended: 15 },
    ],
    expect: create(1, 2),
  },
  {
    name: "and the shortest wait counts",
    spec: { ...indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 5 },
    pods: [
      { index: 0, phase: "Failed", ended: 15, failures: 1 },
      { index: 1, phase: "Failed", ended: 3 },
    ],
    expect: { do: "wait", afterMs: 5_000 },
  },
  {
    name: "no Pod for an index that is lost",
    spec: { ...indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 0 },
    pods: [{ index: 0, phase: "Failed", ended: 60 }, { index: 1 }],
    expect: nothing,
  },
];
for (const { name, spec, status, pods, expect } of cases)
  test(name, () => {
    const plan = planPods(seenWith(jobWith(spec, status), pods), nowMs);
    assert.deepEqual(plan.do === "delete" ? { ...plan, pods: plan.pods.map(({ metadata }) => metadata?.name) } : plan, expect);
  });

test("a delay doubles with each failure, and a success ends them", () => {
  const failed = (ended: number) => podWith({ phase: "Failed", ended });
  const three = nextFailures(noFailures, [], [failed(30), failed(20), failed(10)]);
  assert.equal(remainingDelay(three, nowMs), 30_000);
  assert.equal(nextFailures(three, [podWith({ phase: "Succeeded", ended: 5 })], [failed(8), failed(2)]).count, 1);
  assert.equal(nextFailures(three, [podWith({ phase: "Succeeded", ended: 5 })], []).count, 0);
  assert.equal(remainingDelay({ count: 20, lastMs: nowMs }, nowMs), 600_000);
});
