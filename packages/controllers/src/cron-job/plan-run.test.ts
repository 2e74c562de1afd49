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
  readonly events?: readonly string[];
}

const wait = (until: string, now: string) => ({ do: "wait", afterMs: at(until) + 100 - at(now) });
const start = (time: string, replaces = false) => ({ do: "start", at: at(time), replaces });
const nothing = { do: "nothing" };
const last = (time: string, ...active: string[]) => ({ lastScheduleTime: `2026-01-01T${time}Z`, active: active.map((name) => ({ name })) });

const cases: readonly Case[] = [
  { name: "a CronJob before its time waits", status: last("00:00:00"), now: "00:30:00", expect: wait("01:00:00", "00:30:00") },
  { name: "a CronJob whose time has come starts a Job", now: "01:00:00.1", expect: start("01:00:00") },
  {
    name: "a CronJob that has run for a time waits for the next",
    status: last("01:00:00"),
    now: "01:30:00",
    expect: wait("02:00:00", "01:30:00"),
  },
  { name: "a CronJob that missed several times starts the latest", now: "05:30:00", expect: start("05:00:00") },
  {
    name: "a CronJob that missed more than a hundred times warns, and starts the latest",
    spec: { schedule: "* * * * *" },
    now: "05:30:30",
    expect: start("05:30:00"),
    events: ["TooManyMissedTimes"],
  },
  {
    name: "a CronJob whose missed time is older than its deadline waits",
    spec: { startingDeadlineSeconds: 600 },
    now: "05:30:00",
    expect: wait("06:00:00", "05:30:00"),
  },
  {
    name: "a CronJob whose missed time is within its deadline starts it",
    spec: { startingDeadlineSeconds: 3600 },
    now: "05:30:00",
    expect: start("05:00:00"),
  },
  { name: "a suspended CronJob does nothing", spec: { suspend: true }, now: "05:30:00", expect: nothing },
  {
    name: "a CronJob with an active Job and Forbid waits",
    spec: { concurrencyPolicy: "Forbid" },
    status: last("01:00:00", "report-1"),
    now: "02:00:01",
    expect: wait("03:00:00", "02:00:01"),
    events: ["JobAlreadyActive"],
  },
  {
    name: "a CronJob with an active Job and Replace replaces it",
    spec: { concurrencyPolicy: "Replace" },
    status: last("01:00:00", "report-1"),
    now: "02:00:01",
    expect: start("02:00:00", true),
  },
  {
    name: "a CronJob with an active Job and Allow starts another",
    status: last("01:00:00", "report-1"),
    now: "02:00:01",
    expect: start("02:00:00"),
  },
  {
    name: "a CronJob with a time zone starts at the time of that zone",
    spec: { schedule: "0 9 * * *", timeZone: "Asia/Tokyo" },
    now: "00:00:01",
    expect: start("00:00:00"),
  },
  {
    name: "a CronJob with an unknown time zone warns and does nothing",
    spec: { timeZone: "Mars/Base" },
    now: "05:30:00",
    expect: nothing,
    events: ["UnknownTimeZone"],
  },
  {
    name: "a CronJob for the 31st of February warns and does nothing",
    spec: { schedule: "0 0 31 2 *" },
    now: "05:30:00",
    expect: nothing,
    events: ["InvalidSchedule"],
  },
  {
    name: "a CronJob whose schedule cannot be parsed warns and does nothing",
    spec: { schedule: "now" },
    now: "05:30:00",
    expect: nothing,
    events: ["UnparseableSchedule"],
  },
];
for (const { name, spec = {}, status, now, expect, events: expectedReasons = [] } of cases)
  test(name, () => {
    const { events, ...plan } = planRun(cronJobWith(spec, status), at(now));
    const shown = plan.do === "start" ? { do: plan.do, at: plan.at, replaces: plan.replaces } : plan;
    assert.deepEqual(shown, expect);
    assert.deepEqual(
      events.map(({ reason }) => reason),
      expectedReasons,
    );
  });
