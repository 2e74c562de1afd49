import assert from "node:assert/strict";
import { test } from "node:test";
import { wireTime } from "@coxswain/machinery";
import type { Job } from "./job-settings.ts";
import { jobWith, nowMs, type PodWith, seenWith } from "./job-under-test.ts";
import { completionsReached, judgeJob } from "./judge-job.ts";

interface Case {
  readonly name: string;
  readonly spec: Partial<NonNullable<Job["spec"]>>;
  readonly status?: Job["status"];
  readonly pods?: readonly PodWith[];
  /** Outcome, reason, and message where it is of interest. */
  readonly expect: readonly string[] | undefined;
}

const indexed = { completionMode: "Indexed", completions: 4 } as const;
const rule = (action: string, values: number[], operator = "In") => ({ rules: [{ action, onExitCodes: { operator, values } }] });
const reported = (type: string) => ({ conditions: [{ type, status: "True", reason: "Why", message: "because" }] });

const cases: readonly Case[] = [
  { name: "goes on", spec: {}, pods: [{}, { phase: "Failed" }], expect: undefined },
  {
    name: "fails beyond its limit",
    spec: { backoffLimit: 1 },
    pods: [{ phase: "Failed" }, { phase: "Failed" }],
    expect: ["failed", "BackoffLimitExceeded"],
  },
  {
    name: "counts those it has counted",
    spec: { backoffLimit: 1 },
    status: { failed: 1 },
    pods: [{ phase: "Failed" }],
    expect: ["failed", "BackoffLimitExceeded"],
  },
  {
    name: "counts none twice",
    spec: { backoffLimit: 1 },
    status: { uncountedTerminatedPods: { failed: ["pod-0"] } },
    pods: [{ phase: "Failed" }],
    expect: undefined,
  },
  { name: "counts none that it has let go", spec: { backoffLimit: 0 }, pods: [{ phase: "Failed", untracked: true }], expect: undefined },
  {
    name: "counts one that is being deleted",
    spec: { backoffLimit: 0 },
    pods: [{ deleted: true }],
    expect: ["failed", "BackoffLimitExceeded"],
  },
  {
    name: "or not, when only failures are replaced",
    spec: { backoffLimit: 0, podReplacementPolicy: "Failed" },
    pods: [{ deleted: true }],
    expect: undefined,
  },
  {
    name: "counts restarts where containers restart",
    spec: { backoffLimit: 3, template: { spec: { containers: [], restartPolicy: "OnFailure" } } },
    pods: [{ restarts: 2 }, { restarts: 1 }],
    expect: ["failed", "BackoffLimitExceeded"],
  },
  {
    name: "fails when it is too old",
    spec: { activeDeadlineSeconds: 60 },
    status: { startTime: wireTime(nowMs - 60_000) },
    expect: ["failed", "DeadlineExceeded"],
  },
  {
    name: "does not age while it is suspended",
    spec: { activeDeadlineSeconds: 60, suspend: true },
    status: { startTime: wireTime(nowMs - 60_000) },
    expect: undefined,
  },
  {
    name: "fails at an exit code",
    spec: { podFailurePolicy: rule("FailJob", [42]) },
    pods: [{ phase: "Failed", exitCode: 42 }],
    expect: ["failed", "PodFailurePolicy", "Container c for pod default/sum-0 failed with exit code 42 matching FailJob rule at index 0"],
  },
  {
    name: "not at another",
    spec: { podFailurePolicy: rule("FailJob", [42]) },
    pods: [{ phase: "Failed", exitCode: 1 }],
    expect: undefined,
  },
  {
    name: "fails at a condition",
    spec: { podFailurePolicy: { rules: [{ action: "FailJob", onPodConditions: [{ type: "ConfigIssue", status: "True" }] }] } },
    pods: [{ phase: "Failed", condition: "ConfigIssue" }],
    expect: ["failed", "PodFailurePolicy", "Pod default/sum-0 has condition ConfigIssue matching FailJob rule at index 0"],
  },
  {
    name: "does not count what a policy ignores",
    spec: { backoffLimit: 0, podFailurePolicy: rule("Ignore", [0], "NotIn") },
    pods: [{ phase: "Failed" }],
    expect: undefined,
  },
  {
    name: "fails with its indexes",
    spec: { ...indexed, backoffLimitPerIndex: 0, backoffLimit: 99 },
    status: { completedIndexes: "0-2" },
    pods: [{ index: 3, phase: "Failed" }],
    expect: ["failed", "FailedIndexes"],
  },
  {
    name: "fails with too many of them",
    spec: { ...indexed, backoffLimitPerIndex: 0, backoffLimit: 99, maxFailedIndexes: 0 },
    pods: [{ index: 3, phase: "Failed" }],
    expect: ["failed", "MaxFailedIndexesExceeded"],
  },
  {
    name: "an index is lost at once when a policy says so",
    spec: { ...indexed, backoffLimitPerIndex: 5, backoffLimit: 99, maxFailedIndexes: 0, podFailurePolicy: rule("FailIndex", [9]) },
    pods: [{ index: 3, phase: "Failed", exitCode: 9 }],
    expect: ["failed", "MaxFailedIndexesExceeded"],
  },
  {
    name: "succeeds by its policy",
    spec: { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,3" }, { succeededIndexes: "1-3", succeededCount: 2 }] } },
    status: { completedIndexes: "1" },
    pods: [{ index: 2, phase: "Succeeded" }],
    expect: ["succeeded", "SuccessPolicy", "Matched rules at index 1"],
  },
  {
    name: "a failure that the status reports already stays",
    spec: {},
    status: reported("FailureTarget"),
    expect: ["failed", "Why", "because"],
  },
  {
    name: "so does a success, before any failure",
    spec: { backoffLimit: 0 },
    status: reported("SuccessCriteriaMet"),
    pods: [{ phase: "Failed" }],
    expect: ["succeeded", "Why", "because"],
  },
];
for (const { name, spec, status, pods = [], expect } of cases)
  test(`a Job ${name}`, () => {
    const end = judgeJob(seenWith(jobWith(spec, status), pods), nowMs);
    const shown = end === undefined ? undefined : [end.outcome, end.reason, end.message].slice(0, expect?.length);
    assert.deepEqual(shown, expect);
  });

const completions = [
  { spec: { completions: 2 }, succeeded: 2, active: 0, isComplete: true },
  { spec: { completions: 2 }, succeeded: 1, active: 0, isComplete: false },
  { spec: { completions: 2 }, succeeded: 2, active: 1, isComplete: false },
  { spec: {}, succeeded: 1, active: 0, isComplete: true },
  { spec: {}, succeeded: 0, active: 0, isComplete: false },
];
for (const { spec, succeeded, active, isComplete } of completions)
  test(`with ${succeeded} of ${spec.completions ?? "any"} succeeded and ${active} running a Job is ${isComplete ? "" : "not "}complete`, () =>
    assert.equal(completionsReached(seenWith(jobWith(spec, { succeeded }), []), active) !== undefined, isComplete));
