import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, createSeriesRecorder, events, eventsV1 } from "@coxswain/client";
import { serviceUnavailable } from "@coxswain/machinery";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";

const start = () => startCluster({ clock: virtualClock({ autoAdvance: true }) });
const failed = (message: string) => ({ type: "Warning", reason: "FailedScheduling", action: "Scheduling", message }) as const;

test("an Event is what events.k8s.io has, and what its older view makes of it", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const about = await client.resource(configMaps).create({ metadata: { name: "settings" } });
  const related = { object: await client.resource(configMaps).create({ metadata: { name: "other" } }) };
  await using recorder = createSeriesRecorder({ client, component: "default-scheduler", host: "desk" });
  recorder.record(about, { ...failed("no"), related });
  await recorder.flush();
  const [recorded] = (await client.resource(eventsV1).list()).items;
  const { uid, resourceVersion } = about.metadata ?? {};
  assert.deepEqual(
    [recorded?.type, recorded?.reason, recorded?.action, recorded?.note, recorded?.reportingController, recorded?.reportingInstance],
    ["Warning", "FailedScheduling", "Scheduling", "no", "default-scheduler", "default-scheduler-desk"],
  );
  assert.deepEqual(recorded?.regarding, {
    kind: "ConfigMap",
    namespace: "default",
    name: "settings",
    uid,
    apiVersion: "v1",
    resourceVersion,
  });
  assert.equal(recorded?.related?.name, "other");
  assert.match(recorded?.eventTime ?? "", /^2026-.*\.\d{6}Z$/);
  assert.equal(recorded?.series, undefined);
  const [older] = (await client.resource(events).list()).items;
  assert.deepEqual(
    [older?.message, older?.reportingComponent, older?.source, older?.firstTimestamp, older?.involvedObject.name],
    ["no", "default-scheduler", {}, null, "settings"],
  );
});

test("what repeats about one version of an object is a series with the words of the first; about another it is a new Event", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const about = await client.resource(configMaps).create({ metadata: { name: "settings" } });
  await using recorder = createSeriesRecorder({ client, component: "s" });
  for (const words of ["first", "second"]) {
    recorder.record(about, failed(words));
    await recorder.flush();
  }
  const later = await client.resource(configMaps).update({ ...about, data: { changed: "yes" } });
  recorder.record(later, failed("third"));
  await recorder.flush();
  const seen = async () => (await client.resource(eventsV1).list()).items.map(({ note, series }) => `${note} ${series?.count ?? 1}`).sort();
  assert.deepEqual(await seen(), ["first 2", "third 1"]);
  for (let i = 0; i < 5; i++) recorder.record(about, failed("again"));
  await recorder.flush();
  assert.deepEqual(await seen(), ["first 2", "third 1"], "counted here until the series is written");
  await cluster.advance({ minutes: 13 });
  await recorder.flush();
  assert.deepEqual(await seen(), ["first 7", "third 1"], "written when it has ended");
  recorder.record(about, failed("later"));
  await recorder.flush();
  assert.deepEqual(await seen(), ["first 7", "later 1", "third 1"]);
});

test("a series whose Event the server has let go begins again", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const about = await client.resource(configMaps).create({ metadata: { name: "settings" } });
  await using recorder = createSeriesRecorder({ client, component: "s" });
  recorder.record(about, failed("first"));
  await recorder.flush();
  await client.resource(eventsV1, "default").deleteCollection();
  recorder.record(about, failed("second"));
  await recorder.flush();
  const { items } = await client.resource(eventsV1).list();
  assert.deepEqual(
    items.map(({ note, series }) => [note, series?.count]),
    [["first", 2]],
  );
});

test("more than can be written in time is lost, and counted", async () => {
  await using cluster = await start();
  const faults = new FaultScript([{ fault: { kind: "status", error: serviceUnavailable("busy") }, on: { resource: "events" }, times: 1 }]);
  const client = cluster.clientFor({ name: "under-test" }, { faults });
  const about = await cluster.client.resource(configMaps).create({ metadata: { name: "settings" } });
  await using recorder = createSeriesRecorder({ client, component: "s", queueSize: 2 });
  for (let i = 0; i < 12; i++) recorder.record(about, { ...failed("x"), reason: `Reason${i}` });
  await recorder.flush();
  const { items } = await cluster.client.resource(eventsV1).list();
  assert.equal(items.length + recorder.dropped, 12);
  assert.ok(recorder.dropped > 0);
});

test("a long note is cut, and a closed recorder takes nothing more and leaves no timer", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const about = await client.resource(configMaps).create({ metadata: { name: "settings" } });
  const recorder = createSeriesRecorder({ client, component: "s" });
  recorder.record(about, failed("x".repeat(2_000)));
  await recorder[Symbol.asyncDispose]();
  const [recorded] = (await client.resource(eventsV1).list()).items;
  assert.equal(recorded?.note?.length, 1_024);
  assert.ok(recorded?.note?.endsWith("x ..."));
  recorder.record(about, { ...failed("late"), reason: "Late" });
  assert.equal(recorder.dropped, 1);
});
