import assert from "node:assert/strict";
import { test } from "node:test";
import { type Job, plan } from "./plan.ts";

const finishedAt = Date.UTC(2026, 0, 1);
const job = (ttlSecondsAfterFinished: number | undefined, more: { readonly finished?: boolean; readonly deleted?: boolean } = {}): Job => ({
  metadata: { name: "j", ...(more.deleted === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
  spec: { template: {}, ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }) },
  status: more.finished === false ? {} : { conditions: [{ type: "Complete", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] },
});

const cases = [
  { name: "a Job without a TTL stays", job: job(undefined), atMs: 0, expect: { do: "nothing" } },
  { name: "a Job that runs stays", job: job(10, { finished: false }), atMs: 60_000, expect: { do: "nothing" } },
  { name: "a Job that is being deleted is left alone", job: job(10, { deleted: true }), atMs: 60_000, expect: { do: "nothing" } },
  { name: "a finished Job waits for the rest of its TTL", job: job(10), atMs: 4_000, expect: { do: "wait", afterMs: 6_000 } },
  { name: "a finished Job whose TTL is over is deleted", job: job(10), atMs: 10_000, expect: { do: "delete" } },
  { name: "a finished Job with a TTL of 0 is deleted at once", job: job(0), atMs: 0, expect: { do: "delete" } },
];
for (const { name, job, atMs, expect } of cases) test(name, () => assert.deepEqual(plan({ job, nowMs: finishedAt + atMs }), expect));
