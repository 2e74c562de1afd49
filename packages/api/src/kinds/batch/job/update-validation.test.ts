import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, JobStatus } from "@coxswain/types/batch-v1";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { cronJob } from "../cron-job/strategy.ts";
import { job } from "./strategy.ts";

const uid = "00000000-0000-4000-8000-000000000000";
const podSpec = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] };
const stored = (spec: object, status: JobStatus = {}): Job => {
  const { object } = createdAs(job, { metadata: { name: "j", uid }, spec: { template: { spec: podSpec }, ...spec } });
  return { ...object, status };
};
const withPod = (prev: Job, part: object) => ({
  ...prev,
  spec: { ...prev.spec, template: { ...prev.spec?.template, spec: { ...prev.spec?.template.spec, ...part } } },
});
const started = { startTime: "2026-01-01T00:00:00Z" };
const suspended = { ...started, conditions: [{ type: "Suspended", status: "True" }] };
const elsewhere = { nodeSelector: { zone: "a" } };
const larger = { containers: [{ name: "c", image: "busybox", resources: { requests: { cpu: "1" } } }] };

const cases = [
  { name: "not yet started, elsewhere", spec: { suspend: true }, status: {}, part: elsewhere, allowed: true },
  { name: "not yet started, with more", spec: { suspend: true }, status: {}, part: larger, allowed: true },
  { name: "stopped again, elsewhere", spec: { suspend: true }, status: suspended, part: elsewhere, allowed: true },
  { name: "about to stop", spec: { suspend: true }, status: started, part: elsewhere, allowed: false },
  { name: "with pods left", spec: { suspend: true }, status: { ...suspended, active: 1 }, part: elsewhere, allowed: false },
  { name: "running", spec: {}, status: started, part: elsewhere, allowed: false },
  { name: "another program", spec: { suspend: true }, status: {}, part: { priorityClassName: "high" }, allowed: false },
];

for (const { name, spec, status, part, allowed } of cases) {
  test(`a job's template ${allowed ? "may" : "may not"} change: ${name}`, () => {
    const prev = stored(spec, status);
    assert.equal(updatedAs(job, prev, withPod(prev, part)).problems.length, allowed ? 0 : 1);
  });
}

test("a Job's rules run twice for an update, and each error is reported twice", () => {
  const prev = stored({});
  const problem = "spec.parallelism: Invalid value: -1: must be greater than or equal to 0";
  assert.deepEqual(updatedAs(job, prev, { ...prev, spec: { ...prev.spec, parallelism: -1 } }).problems, [problem, problem]);
});

test("a job from before its labels had prefixes lives on", () => {
  const { spec } = stored({});
  const labels = { "controller-uid": uid, "job-name": "j" };
  const template = { ...spec?.template, metadata: { labels } };
  const old = { metadata: { name: "j", uid }, spec: { ...spec, selector: { matchLabels: { "controller-uid": uid } }, template } } as Job;
  assert.deepEqual(updatedAs(job, old, old).problems, []);
});

test("when a job began does not change, unless it is resumed", () => {
  const prev = stored({}, suspended);
  const later = { startTime: "2026-01-02T00:00:00Z" };
  assert.deepEqual(statusUpdatedAs(job, prev, { ...later, conditions: [{ type: "Suspended", status: "False" }] }).problems, []);
  assert.deepEqual(statusUpdatedAs(job, prev, { ...later, conditions: suspended.conditions }).problems, [
    'status.startTime: Invalid value: "2026-01-02T00:00:00Z": field is immutable for unsuspended job once set',
  ]);
});

test("an update of a CronJob with a time zone in its schedule has a warning that names timeZone", () => {
  const spec = { schedule: "TZ=UTC 0 0 * * *", jobTemplate: { spec: { template: { spec: podSpec } } } };
  const { object, warnings } = createdAs(cronJob, { metadata: { name: "c" }, spec });
  assert.deepEqual(warnings, []);
  assert.deepEqual(updatedAs(cronJob, object, object).warnings, [
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
  ]);
});
