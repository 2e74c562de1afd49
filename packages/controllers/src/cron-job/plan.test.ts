import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJob, Job } from "./cron-job-status.ts";
import type { AbsentJob } from "./observe.ts";
import { plan } from "./plan.ts";

const nowMs = Date.parse("2026-01-01T01:00:01Z");

const cronJobWith = (spec: Partial<CronJob["spec"]>, ...active: string[]): CronJob => ({
  metadata: { name: "report", namespace: "default", creationTimestamp: "2026-01-01T00:30:00Z" },
  spec: { schedule: "0 * * * *", jobTemplate: {}, ...spec },
  status: active.length === 0 ? {} : { active: active.map((name) => ({ name, uid: name, namespace: "default" })) },
});

const jobOf = (name: string, condition?: "Complete" | "Failed"): Job => ({
  metadata: { name, namespace: "default", uid: name },
  status: condition === undefined ? {} : { conditions: [{ type: condition, status: "True" }] },
});

interface Case {
  readonly name: string;
  readonly cronJob: CronJob;
  readonly jobs?: readonly Job[];
  readonly absent?: readonly AbsentJob[];
  readonly run: string;
  readonly active: readonly string[];
  readonly events: readonly string[];
}

const cases: readonly Case[] = [
  { name: "a CronJob without Jobs starts one when it is due", cronJob: cronJobWith({}), run: "start", active: [], events: [] },
  {
    name: "a Job that has finished leaves the list, so that Forbid does not count it",
    cronJob: cronJobWith({ concurrencyPolicy: "Forbid" }, "a"),
    jobs: [jobOf("a", "Complete")],
    run: "start",
    active: [],
    events: ["SawCompletedJob"],
  },
  {
    name: "a Job that does not exist any more leaves the list, so that Forbid does not count it",
    cronJob: cronJobWith({ concurrencyPolicy: "Forbid" }, "a"),
    absent: [{ name: "a", uid: "a" }],
    run: "start",
    active: [],
    events: ["MissingJob"],
  },
  {
    name: "a Job that runs stays in the list, and Forbid waits for it",
    cronJob: cronJobWith({ concurrencyPolicy: "Forbid" }, "a"),
    jobs: [jobOf("a")],
    run: "wait",
    active: ["a"],
    events: ["JobAlreadyActive"],
  },
  {
    name: "a suspended CronJob still has its list brought up to date",
    cronJob: cronJobWith({ suspend: true }, "a", "b"),
    jobs: [jobOf("a", "Failed"), jobOf("b")],
    run: "nothing",
    active: ["b"],
    events: ["SawCompletedJob"],
  },
];
for (const { name, cronJob, jobs = [], absent = [], run, active, events } of cases)
  test(name, () => {
    const planned = plan({ before: cronJob, cronJob, jobs, absent, nowMs });
    assert.equal(planned.run.do, run);
    assert.deepEqual(
      (planned.cronJob.status?.active ?? []).map((job) => job.name),
      active,
    );
    assert.deepEqual(
      planned.events.map(({ reason }) => reason),
      events,
    );
  });
