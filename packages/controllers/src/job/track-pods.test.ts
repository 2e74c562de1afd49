import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "./job-settings.ts";
import { jobWith, type PodWith, seenWith } from "./job-under-test.ts";
import type { JobEnd } from "./judge-job.ts";
import { countReleased, type JobStatus, planTracking, wireStatus } from "./track-pods.ts";

const failing: JobEnd = { outcome: "failed", reason: "DeadlineExceeded", message: "", isReported: false };
const succeeding: JobEnd = { ...failing, outcome: "succeeded" };
const indexed = { completionMode: "Indexed", completions: 4 } as const;
const counted = (status: JobStatus): JobStatus => wireStatus(status);

interface Case {
  readonly name: string;
  readonly spec?: Partial<NonNullable<Job["spec"]>>;
  readonly before?: JobStatus;
  readonly pods: readonly PodWith[];
  readonly end?: JobEnd;
  readonly release: readonly number[];
  readonly status: JobStatus;
}

const cases: readonly Case[] = [
  {
    name: "what has ended is named first",
    pods: [{ phase: "Succeeded" }, { phase: "Failed" }, {}],
    release: [0, 1],
    status: { uncountedTerminatedPods: { succeeded: ["pod-0"], failed: ["pod-1"] } },
  },
  {
    name: "what is named already is not named again",
    before: { uncountedTerminatedPods: { succeeded: ["pod-0"] } },
    pods: [{ phase: "Succeeded" }],
    release: [0],
    status: { uncountedTerminatedPods: { succeeded: ["pod-0"] } },
  },
  {
    name: "what is named and has lost its finalizer is counted",
    before: { succeeded: 1, uncountedTerminatedPods: { succeeded: ["pod-0", "gone"], failed: ["lost"] } },
    pods: [{ phase: "Succeeded", untracked: true }],
    release: [],
    status: { succeeded: 3, failed: 1, uncountedTerminatedPods: {} },
  },
  {
    name: "what was counted as failed does not count as a success too",
    before: { uncountedTerminatedPods: { failed: ["pod-0"] } },
    pods: [{ phase: "Succeeded" }],
    release: [0],
    status: { uncountedTerminatedPods: { failed: ["pod-0"] } },
  },
  {
    name: "of a Job that fails all that runs has failed",
    pods: [{}, { deleted: true }],
    end: failing,
    release: [0, 1],
    status: { uncountedTerminatedPods: { failed: ["pod-0", "pod-1"] } },
  },
  {
    name: "of one that succeeds it has not",
    pods: [{}, { phase: "Failed" }],
    end: succeeding,
    release: [0, 1],
    status: { uncountedTerminatedPods: { failed: ["pod-1"] } },
  },
  {
    name: "what a policy ignores goes uncounted",
    spec: { podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }] } },
    pods: [{ phase: "Failed" }],
    release: [0],
    status: { uncountedTerminatedPods: {} },
  },
  {
    name: "indexes need no names",
    spec: indexed,
    before: { completedIndexes: "0", succeeded: 1 },
    pods: [
      { phase: "Succeeded", index: 2 },
      { phase: "Succeeded", index: 1 },
      { phase: "Succeeded", index: 0 },
    ],
    release: [2, 1, 0],
    status: { completedIndexes: "0-2", succeeded: 3, uncountedTerminatedPods: {} },
  },
  {
    name: "an index's last failure is kept until there is another Pod",
    spec: { ...indexed, backoffLimitPerIndex: 3 },
    pods: [
      { phase: "Failed", index: 1, failures: 0 },
      { phase: "Failed", index: 1, failures: 1 },
    ],
    release: [0],
    status: { failedIndexes: "", uncountedTerminatedPods: { failed: ["pod-0"] } },
  },
];
for (const { name, spec = {}, before = {}, pods, end, release, status } of cases)
  test(name, () => {
    const plan = planTracking(seenWith(jobWith(spec, before), pods), before, end);
    assert.deepEqual(
      plan.release.map(({ metadata }) => metadata?.uid),
      release.map((i) => `pod-${i}`),
    );
    assert.deepEqual(counted(plan.status), status);
    assert.equal(plan.isCapped, false);
  });

test("at most 500 at a time, until all are counted", () => {
  const pods: PodWith[] = Array.from({ length: 1_200 }, () => ({ phase: "Succeeded" }));
  let status: JobStatus = {};
  const turns: number[] = [];
  for (let isMore = true; isMore; ) {
    const plan = planTracking(seenWith(jobWith({ completions: 1_200 }, status), pods), status, undefined);
    isMore = plan.isCapped;
    turns.push(plan.release.length);
    const released = new Set(plan.release.map(({ metadata }) => metadata?.uid));
    pods.forEach((pod, i) => {
      if (released.has(`pod-${i}`)) pods[i] = { ...pod, untracked: true };
    });
    status = counted(countReleased(plan.status, new Set()));
  }
  assert.deepEqual(turns, [500, 500, 200]);
  assert.deepEqual(status, { succeeded: 1_200, uncountedTerminatedPods: {} });
});
