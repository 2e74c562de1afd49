import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "./job-settings.ts";
import { jobWith, nowMs, type PodWith, seenWith } from "./job-under-test.ts";
import { plan, planStatus } from "./plan.ts";

interface Case {
  readonly name: string;
  readonly job: Job;
  readonly pods: readonly PodWith[];
  readonly does: string;
  readonly end?: string;
}

const cases: readonly Case[] = [
  { name: "a Job without Pods creates them", job: jobWith({ completions: 1 }), pods: [], does: "create" },
  { name: "a Job with its Pods does nothing", job: jobWith({ completions: 1 }), pods: [{}], does: "nothing" },
  { name: "a Job with too many Pods deletes the surplus", job: jobWith({ completions: 1 }), pods: [{}, {}], does: "delete" },
  { name: "a suspended Job deletes its Pods", job: jobWith({ completions: 1, suspend: true }), pods: [{}], does: "delete" },
  {
    name: "a Job over its deadline ends with all its Pods",
    job: jobWith({ completions: 1, activeDeadlineSeconds: 10 }, { startTime: "2026-01-01T11:59:00Z" }),
    pods: [{}],
    does: "end",
    end: "DeadlineExceeded",
  },
  {
    name: "a Job that is being deleted does nothing",
    job: { ...jobWith({ completions: 1 }), metadata: { name: "sum", uid: "job", deletionTimestamp: "2026-01-01T12:00:00Z" } },
    pods: [],
    does: "nothing",
  },
];
for (const { name, job, pods, does, end } of cases)
  test(name, () => {
    const planned = plan(seenWith(job, pods), nowMs);
    assert.equal(planned.pods.do, does);
    assert.equal(planned.end?.reason, end);
  });

test("a Job has its start time from its first plan on, unless it is suspended", () => {
  assert.equal(plan(seenWith(jobWith({}), []), nowMs).started.status?.startTime, "2026-01-01T12:00:00Z");
  assert.equal(plan(seenWith(jobWith({ suspend: true }), []), nowMs).started.status?.startTime, undefined);
});

test("a Job that is to end does so once none of its Pods is active", () => {
  const job = jobWith({ completions: 1, activeDeadlineSeconds: 10 }, { startTime: "2026-01-01T11:59:00Z" });
  const seen = seenWith(job, [{}]);
  const planned = plan(seen, nowMs);
  assert.equal(planStatus(seen, planned, { active: 1, ready: 0, terminating: 0 }, nowMs).end, undefined);
  assert.equal(planStatus(seen, planned, { active: 0, ready: 0, terminating: 1 }, nowMs).end?.reason, "DeadlineExceeded");
});

test("a Job whose Pods have all succeeded ends", () => {
  const seen = seenWith(jobWith({ completions: 1 }), [{ phase: "Succeeded" }]);
  assert.equal(planStatus(seen, plan(seen, nowMs), { active: 0, ready: 0, terminating: 0 }, nowMs).end?.outcome, "succeeded");
});
