import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, controller, cronJobs, done, events, jobs, startControllers } from "@coxswain/client";
import { cronJobController, ttlAfterFinishedController } from "@coxswain/controllers";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

type CronJob = api.batchV1.CronJob;
type Spec = api.batchV1.CronJobSpec;

const newYear = Date.parse("2026-01-01T00:00:00Z");

const jobTemplate = {
  metadata: { labels: { app: "report" } },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "report" }] } } },
};

const cronJobOf = (spec: Partial<Spec>): CronJob => ({
  metadata: { name: "report" },
  spec: { schedule: "* * * * *", jobTemplate, ...spec },
});

/** In place of the Job controller: all Jobs are complete, or failed, at once. */
const ender = (how: "Complete" | "Failed") =>
  controller({
    name: "ender",
    for: jobs,
    reconcile: async (_ref, { object: job, client }) => {
      if (job === undefined || job.status?.conditions !== undefined) return done;
      const now = `${new Date(client.clock.now()).toISOString().slice(0, 19)}Z`;
      const condition = (type: string) => ({ type, status: "True", lastTransitionTime: now });
      const interim = how === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
      const conditions = [condition(interim), condition(how)];
      const status = { conditions, startTime: now, ...(how === "Complete" ? { completionTime: now } : {}) };
      await client.resource(jobs, job.metadata?.namespace).updateStatus({ ...job, status });
      return done;
    },
  });

interface Setting {
  readonly cluster: TestCluster;
  readonly client: Client;
  names(): Promise<(string | undefined)[]>;
  status(): Promise<api.batchV1.CronJobStatus>;
  /** About the CronJob, with the count of each. */
  recordedEvents(): Promise<(string | number | undefined)[][]>;
}

async function withCronJobs(
  how: "Complete" | "Failed" | "runs",
  run: (setting: Setting) => Promise<void>,
  clock = virtualClock({ now: newYear }),
): Promise<void> {
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  const all = [...cronJobController.make({ client, settings: {} }), ...ttlAfterFinishedController.make({ client, settings: {} })];
  await using _controllers = startControllers(how === "runs" ? all : [...all, ender(how)], { client });
  await run({
    cluster,
    client,
    names: async () => (await client.resource(jobs).list()).items.map(({ metadata }) => metadata?.name),
    status: async () => (await client.resource(cronJobs).get("report")).status ?? {},
    recordedEvents: async () =>
      (await client.resource(events).list()).items
        .filter(({ involvedObject }) => involvedObject?.kind === "CronJob")
        .map(({ reason, message, count }) => [reason, message, count]),
  });
}

const minute = newYear / 60_000;

const never = { unref: () => undefined, [Symbol.dispose]: () => undefined };

/** Bookmarks, new watches and the like, which a year has millions of: what is let go, or is due within the hour but not at once. */
function withoutUpkeep(clock: ReturnType<typeof virtualClock>): typeof clock {
  const schedule = clock.schedule.bind(clock);
  return Object.assign(clock, {
    schedule: (afterMs: number, fn: () => void) => {
      if (afterMs >= 60_000 && afterMs <= 3_600_000) return never;
      const timer = schedule(afterMs, fn);
      return { unref: () => timer[Symbol.dispose](), [Symbol.dispose]: () => timer[Symbol.dispose]() };
    },
  });
}

test("a CronJob with a time zone runs each day of a year at the local time, also when daylight saving time changes", () =>
  withCronJobs(
    "Complete",
    async ({ cluster, client, names, status }) => {
      const times: string[] = [];
      const stop = new AbortController();
      const watching = (async () => {
        for await (const event of client.resource(jobs).watch({ signal: stop.signal }))
          if (event.type === "ADDED")
            times.push(event.object.metadata?.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "");
      })().catch(() => undefined);
      await client.resource(cronJobs).create(cronJobOf({ schedule: "0 9 * * *", timeZone: "Europe/Berlin" }));
      await cluster.advance({ days: 365 });
      assert.equal(times.length, 365);
      assert.equal(times[0], "2026-01-01T09:00:00+01:00");
      assert.equal(times[200], "2026-07-20T09:00:00+02:00");
      assert.ok(times.every((time) => time.slice(11, 19) === "09:00:00"));
      assert.equal((await names()).length, 3);
      assert.deepEqual((await status()).lastScheduleTime, "2026-12-31T08:00:00Z");
      stop.abort();
      await watching;
    },
    withoutUpkeep(virtualClock({ now: newYear })),
  ));

test("a CronJob records events for Jobs that it starts, sees completed and deletes", () =>
  withCronJobs("Failed", async ({ cluster, client, names, recordedEvents, status }) => {
    await client.resource(cronJobs).create(cronJobOf({}));
    await cluster.advance({ minutes: 2, seconds: 10 });
    assert.deepEqual(await names(), [`report-${minute + 2}`]);
    assert.deepEqual(await status(), { lastScheduleTime: "2026-01-01T00:02:00Z" });
    const one = `report-${minute + 1}`;
    assert.deepEqual((await recordedEvents()).slice(0, 2), [
      ["SuccessfulCreate", `Created job ${one}`, 1],
      ["SawCompletedJob", `Saw completed job: ${one}, condition: Failed`, 1],
    ]);
    assert.ok((await recordedEvents()).some(([reason, message]) => reason === "SuccessfulDelete" && message === `Deleted job ${one}`));
  }));

const policies = [
  { concurrencyPolicy: "Allow", names: [1, 2, 3], recordedEvents: "SuccessfulCreate" },
  { concurrencyPolicy: "Forbid", names: [1], recordedEvents: "JobAlreadyActive" },
  { concurrencyPolicy: "Replace", names: [3], recordedEvents: "SuccessfulDelete" },
];
for (const { concurrencyPolicy, names: expected, recordedEvents: reason } of policies)
  test(`a CronJob with concurrencyPolicy ${concurrencyPolicy} and runs that do not end: of three there are ${expected.length}`, () =>
    withCronJobs("runs", async ({ cluster, client, names, recordedEvents, status }) => {
      await client.resource(cronJobs).create(cronJobOf({ concurrencyPolicy }));
      await cluster.advance({ minutes: 3, seconds: 10 });
      const wanted = expected.map((n) => `report-${minute + n}`);
      assert.deepEqual(await names(), wanted);
      assert.deepEqual(
        (await status()).active?.map(({ name, kind, apiVersion }) => [name, kind, apiVersion]),
        wanted.map((name) => [name, "Job", "batch/v1"]),
      );
      assert.ok((await recordedEvents()).some(([one]) => one === reason));
    }));

test("a CronJob with many missed runs starts the latest one only", () =>
  withCronJobs("Complete", async ({ cluster, client, names, recordedEvents }) => {
    await client.resource(cronJobs).create(cronJobOf({ suspend: true }));
    await cluster.advance({ hours: 3, seconds: 30 });
    await client.resource(cronJobs).patch("report", { type: "merge", patch: { spec: { suspend: false } } });
    await cluster.advance({ seconds: 10 });
    assert.deepEqual(await names(), [`report-${minute + 180}`]);
    assert.equal((await recordedEvents())[0]?.[0], "TooManyMissedTimes");
  }));

test("a CronJob does not start a run after startingDeadlineSeconds", () =>
  withCronJobs("Complete", async ({ cluster, client, names }) => {
    await client.resource(cronJobs).create(cronJobOf({ schedule: "0 * * * *", suspend: true, startingDeadlineSeconds: 60 }));
    await cluster.advance({ hours: 3, minutes: 5 });
    await client.resource(cronJobs).patch("report", { type: "merge", patch: { spec: { suspend: false } } });
    await cluster.advance({ minutes: 50 });
    assert.deepEqual(await names(), []);
    await cluster.advance({ minutes: 10 });
    assert.deepEqual(await names(), [`report-${minute + 240}`]);
  }));

test("a CronJob with a changed schedule runs at the next time of the new one", () =>
  withCronJobs("Complete", async ({ cluster, client, names }) => {
    await client.resource(cronJobs).create(cronJobOf({ schedule: "0 0 1 1 *" }));
    await cluster.advance({ hours: 5, minutes: 30 });
    await client.resource(cronJobs).patch("report", { type: "merge", patch: { spec: { schedule: "0 * * * *" } } });
    await cluster.advance({ minutes: 20 });
    assert.deepEqual(await names(), []);
    await cluster.advance({ minutes: 20 });
    assert.deepEqual(await names(), [`report-${minute + 360}`]);
  }));

test("a finished Job is deleted after ttlSecondsAfterFinished", () =>
  withCronJobs("Complete", async ({ cluster, client, names }) => {
    const { template } = jobTemplate.spec;
    await client.resource(jobs).create({ metadata: { name: "gone" }, spec: { template, ttlSecondsAfterFinished: 100 } });
    await client.resource(jobs).create({ metadata: { name: "stays" }, spec: { template } });
    await cluster.advance({ seconds: 95 });
    assert.deepEqual(await names(), ["gone", "stays"]);
    await client.resource(jobs).patch("gone", { type: "merge", patch: { spec: { ttlSecondsAfterFinished: 200 } } });
    await cluster.advance({ seconds: 95 });
    assert.deepEqual(await names(), ["gone", "stays"]);
    await cluster.advance({ seconds: 20 });
    // Its Pods are to go first: the garbage collector sees to that.
    assert.deepEqual((await client.resource(jobs).get("gone")).metadata?.finalizers, ["foregroundDeletion"]);
  }));
