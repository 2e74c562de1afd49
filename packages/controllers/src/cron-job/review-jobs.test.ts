import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJob, Job } from "./cron-job-status.ts";
import { expiredJobs, reviewJobs } from "./review-jobs.ts";

const jobOf = (name: string, how?: "Complete" | "Failed", hour = 1): Job => ({
  metadata: { name, namespace: "default", uid: name },
  status: {
    startTime: `2026-01-01T0${hour}:00:00Z`,
    ...(how === "Complete" ? { completionTime: `2026-01-01T0${hour}:10:00Z` } : {}),
    ...(how === undefined ? {} : { conditions: [{ type: how, status: "True" }] }),
  },
});

const cronJobWith = (active: readonly string[], more: CronJob["status"] = {}, spec: Partial<CronJob["spec"]> = {}): CronJob => ({
  metadata: { name: "report", namespace: "default" },
  spec: { schedule: "@daily", jobTemplate: {}, ...spec },
  status: { ...more, ...(active.length === 0 ? {} : { active: active.map((name) => ({ name, uid: name, namespace: "default" })) }) },
});

const names = ({ status }: CronJob) => status?.active?.map(({ name }) => name);

test("finished Jobs leave status.active, with an Event each", () => {
  const { cronJob, events } = reviewJobs(cronJobWith(["a", "b", "c"]), [jobOf("a", "Complete"), jobOf("b", "Failed"), jobOf("c")]);
  assert.deepEqual(names(cronJob), ["c"]);
  assert.equal(cronJob.status?.lastSuccessfulTime, "2026-01-01T01:10:00Z");
  assert.deepEqual(events, [
    { type: "Normal", reason: "SawCompletedJob", message: "Saw completed job: a, condition: Complete" },
    { type: "Normal", reason: "SawCompletedJob", message: "Saw completed job: b, condition: Failed" },
  ]);
});

test("lastSuccessfulTime is that of the latest success, whatever the order of the Jobs", () => {
  const jobs = [jobOf("a", "Complete", 3), jobOf("b", "Complete", 2), jobOf("c", "Failed", 4)];
  assert.equal(reviewJobs(cronJobWith([]), jobs).cronJob.status?.lastSuccessfulTime, "2026-01-01T03:10:00Z");
  const later = { lastSuccessfulTime: "2026-01-02T00:00:00Z" };
  const known = cronJobWith([], later);
  assert.equal(reviewJobs(known, jobs).cronJob, known);
});

test("an active Job that status.active lacks is unexpected, and one that only status.active has stays there", () => {
  const { cronJob, events } = reviewJobs(cronJobWith(["gone"]), [jobOf("new")]);
  assert.deepEqual(names(cronJob), ["gone"]);
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ["UnexpectedJob"],
  );
});

const histories = [
  { limits: {}, expect: [] },
  { limits: { successfulJobsHistoryLimit: 1 }, expect: ["s1", "s2"] },
  { limits: { failedJobsHistoryLimit: 0 }, expect: ["f1"] },
  { limits: { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }, expect: [] },
];
for (const { limits, expect } of histories)
  test(`of three succeeded Jobs and one failed, history limits ${JSON.stringify(limits)} expire [${expect}]`, () => {
    const jobs = [jobOf("s2", "Complete", 2), jobOf("s3", "Complete", 3), jobOf("s1", "Complete", 1), jobOf("f1", "Failed"), jobOf("runs")];
    const expired = expiredJobs(cronJobWith([], {}, limits), jobs);
    assert.deepEqual(
      expired.map(({ metadata }) => metadata?.name),
      expect,
    );
  });
