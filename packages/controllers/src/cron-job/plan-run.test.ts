import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJob } from "./cron-job-status.ts";
import { planRun } from "./plan-run.ts";

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);

const cronJobWith = (spec: Partial<CronJob["spec"]>, status: CronJob["status"] = {}): CronJob => ({
  metadata: { name: "report", namespace: "default", creationTimestamp: "2025-12-31T23:59:00Z" },
  spec: { schedule: "0 * * * *", jobTemplate: {}, ...spec },
  status,
});

interface Case {
  readonly name: string;
  readonly spec?: Partial<CronJob["spec"]>;
  readonly status?: CronJob["status"];
  readonly now: string;
  readonly expect: object;
  /** Reasons. */
  readonly told?: readonly string[];
}

const wait = (until: string, now: string) => ({ do: "wait", afterMs: at(until) + 100 - at(now) });
const start = (time: string, replaces = false) => ({ do: "start", at: at(time), replaces });
const rest = { do: "rest" };
const last = (time: string, ...active: string[]) => ({ lastScheduleTime: `2026-01-01T${time}Z`, active: active.map((name) => ({ name })) });

const cases: readonly Case[] = [
  { name: "not yet", status: last("00:00:00"), now: "00:30:00", expect: wait("01:00:00", "00:30:00") },
  { name: "on time", now: "01:00:00.1", expect: start("01:00:00") },
  { name: "once", status: last("01:00:00"), now: "01:30:00", expect: wait("02:00:00", "01:30:00") },
  { name: "the latest of those missed", now: "05:30:00", expect: start("05:00:00") },
  {
    name: "with a word about a hundred",
    spec: { schedule: "* * * * *" },
    now: "05:30:30",
    expect: start("05:30:00"),
    told: ["TooManyMissedTimes"],
  },
  { name: "none that is too old", spec: { startingDeadlineSeconds: 600 }, now: "05:30:00", expect: wait("06:00:00", "05:30:00") },
  { name: "one that is not", spec: { startingDeadlineSeconds: 3600 }, now: "05:30:00", expect: start("05:00:00") },
  { name: "never while it is suspended", spec: { suspend: true }, now: "05:30:00", expect: rest },
  {
    name: "not beside another",
    spec: { concurrencyPolicy: "Forbid" },
    status: last("01:00:00", "report-1"),
    now: "02:00:01",
    expect: wait("03:00:00", "02:00:01"),
    told: ["JobAlreadyActive"],
  },
  {
    name: "in place of another",
    spec: { concurrencyPolicy: "Replace" },
    status: last("01:00:00", "report-1"),
    now: "02:00:01",
    expect: start("02:00:00", true),
  },
  { name: "beside another", status: last("01:00:00", "report-1"), now: "02:00:01", expect: start("02:00:00") },
  { name: "in its time zone", spec: { schedule: "0 9 * * *", timeZone: "Asia/Tokyo" }, now: "00:00:01", expect: start("00:00:00") },
  { name: "in no zone that there is none of", spec: { timeZone: "Mars/Base" }, now: "05:30:00", expect: rest, told: ["UnknownTimeZone"] },
  { name: "never on the 31st of February", spec: { schedule: "0 0 31 2 *" }, now: "05:30:00", expect: rest, told: ["InvalidSchedule"] },
  { name: "never by what cannot be read", spec: { schedule: "now" }, now: "05:30:00", expect: rest, told: ["UnparseableSchedule"] },
];
for (const { name, spec = {}, status, now, expect, told = [] } of cases)
  test(`it runs ${name}`, () => {
    const { events, ...plan } = planRun(cronJobWith(spec, status), at(now));
    const shown = plan.do === "start" ? { do: plan.do, at: plan.at, replaces: plan.replaces } : plan;
    assert.deepEqual(shown, expect);
    assert.deepEqual(
      events.map(({ reason }) => reason),
      told,
    );
  });
