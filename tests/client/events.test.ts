import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, createEventRecorder, createSeriesRecorder, events, namespaces } from "@coxswain/client";
import { serviceUnavailable } from "@coxswain/machinery";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";

const start = () => startCluster({ clock: virtualClock({ autoAdvance: true }) });

test("an event recorder writes what kubectl describe shows, and counts repetitions", async () => {
  await using cluster = await start();
  const { client } = cluster;
  const about = await client.resource(configMaps).create({ metadata: { name: "settings", namespace: "default" } });
  await using recorder = createEventRecorder({ client, component: "librarian", host: "desk-1" });
  const lost = { type: "Warning", reason: "Lost", message: "a book is lost" } as const;
  for (let i = 0; i < 3; i++) recorder.record(about, lost);
  recorder.record(about, { type: "Normal", reason: "Found", message: "here it is", annotations: { shelf: "7" }, fieldPath: "data{x}" });
  await recorder.flush();
  const { items } = await client.resource(events, "default").list({ fieldSelector: "involvedObject.name=settings" });
  const recorded = items.toSorted((a, b) => String(b.reason).localeCompare(String(a.reason)));
  assert.deepEqual(
    recorded.map(({ type, reason, message, count, source, reportingComponent, reportingInstance }) => ({
      ...{ type, reason, message, count, source },
      ...{ reportingComponent, reportingInstance },
    })),
    [
      {
        ...lost,
        count: 3,
        source: { component: "librarian", host: "desk-1" },
        reportingComponent: "librarian",
        reportingInstance: "desk-1",
      },
      {
        ...{ type: "Normal", reason: "Found", message: "here it is", count: 1 },
        ...{ source: { component: "librarian", host: "desk-1" }, reportingComponent: "librarian", reportingInstance: "desk-1" },
      },
    ],
  );
  const { uid, resourceVersion } = about.metadata ?? {};
  const reference = { kind: "ConfigMap", namespace: "default", name: "settings", uid, apiVersion: "v1", resourceVersion };
  assert.deepEqual(
    recorded.map(({ involvedObject }) => involvedObject),
    [reference, { ...reference, fieldPath: "data{x}" }],
  );
  assert.deepEqual(recorded[1]?.metadata?.annotations, { shelf: "7" });
  assert.match(recorded[0]?.metadata?.name ?? "", /^settings\.[0-9a-f]+$/);
  assert.equal(recorder.dropped, 0);
});

test("what several recorders say of one object in the same moment is written under different names", async () => {
  const clock = virtualClock({ now: Date.UTC(2026, 0, 1) });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  const about = await client.resource(configMaps).create({ metadata: { name: "settings", namespace: "default" } });
  const recorders = ["reader", "writer", "binder"].map((component) => createEventRecorder({ client, component }));
  for (const recorder of recorders) recorder.record(about, { type: "Normal", reason: "Seen", message: "it is there" });
  await clock.settle();
  const { items } = await client.resource(events, "default").list();
  assert.deepEqual(items.map(({ reportingComponent }) => reportingComponent).sort(), ["binder", "reader", "writer"]);
  assert.deepEqual(
    recorders.map(({ dropped }) => dropped),
    [0, 0, 0],
  );
  await Promise.all(recorders.map((recorder) => recorder[Symbol.asyncDispose]()));
});

test("begins again with an event that the server has let go", async () => {
  await using cluster = await start();
  const { client } = cluster;
  await using recorder = createEventRecorder({ client, component: "librarian" });
  const about = { apiVersion: "v1", kind: "Node", metadata: { name: "Not.a valid/name", uid: "u" } };
  const event = { type: "Normal", reason: "Again", message: "again" } as const;
  recorder.record(about, event);
  await recorder.flush();
  const [first] = (await client.resource(events, "default").list()).items;
  await client.resource(events, "default").delete(first?.metadata?.name ?? "");
  recorder.record(about, event);
  await recorder.flush();
  const { items } = await client.resource(events, "default").list();
  assert.deepEqual([items.length, items[0]?.count], [1, 2]);
  assert.match(items[0]?.metadata?.name ?? "", /^[0-9a-f-]{36}$/);
});

test("waits for a server that cannot be reached, gives up on one that refuses, and never fails the caller", async () => {
  await using cluster = await start();
  const faults = new FaultScript([
    { on: { resource: "events", verb: "create" }, nth: [1, 2, 3], fault: { kind: "lose-request" } },
    { on: { resource: "events", verb: "create" }, nth: 5, fault: { kind: "status", error: serviceUnavailable("no") } },
  ]);
  const client = cluster.clientFor({ name: "librarian" }, { faults });
  const errors: unknown[] = [];
  await using recorder = createEventRecorder({ client, component: "librarian", onError: (error) => errors.push(error) });
  const about = await cluster.client.resource(namespaces).get("default");
  for (const reason of ["First", "Second"]) recorder.record({ ...about, kind: "Namespace" }, { type: "Normal", reason, message: "" });
  await recorder.flush();
  const { items } = await cluster.client.resource(events, "default").list();
  assert.deepEqual(
    items.map(({ reason }) => reason),
    ["First"],
  );
  assert.deepEqual([recorder.dropped, errors.length], [1, 1]);
});

test("drops what is too much, and what is still queued some time after it is closed", async () => {
  await using cluster = await start();
  const faults = new FaultScript([{ on: { resource: "events" }, fault: { kind: "slow", ms: 60_000 } }]);
  const client = cluster.clientFor({ name: "librarian" }, { faults });
  const recorder = createEventRecorder({ client, component: "librarian", queueSize: 3 });
  const about = { apiVersion: "v1", kind: "Node", metadata: { name: "node", uid: "u" } };
  for (let i = 0; i < 10; i++) recorder.record(about, { type: "Normal", reason: `Reason${i}`, message: "" });
  assert.equal(recorder.dropped, 6);
  const before = cluster.clock.monotonic();
  await recorder[Symbol.asyncDispose]();
  assert.equal(cluster.clock.monotonic() - before, 2_000);
  assert.equal(recorder.dropped, 10);
  recorder.record(about, { type: "Normal", reason: "Late", message: "" });
  assert.equal(recorder.dropped, 11);
});

for (const [name, create] of Object.entries({ createEventRecorder, createSeriesRecorder }))
  test(`an Event whose answer was lost is written, and counted again like any other: ${name}`, async () => {
    await using cluster = await start();
    const faults = new FaultScript([{ on: { resource: "events", verb: "create" }, nth: 1, fault: { kind: "lose-answer" } }]);
    const client = cluster.clientFor({ name: "librarian" }, { faults });
    const about = await cluster.client.resource(namespaces).get("default");
    const errors: unknown[] = [];
    await using recorder = create({ client, component: "librarian", onError: (error) => errors.push(error) });
    const again = () => recorder.record({ ...about, kind: "Namespace" }, { type: "Normal", reason: "Found", message: "" });
    again();
    await recorder.flush();
    assert.deepEqual([recorder.dropped, errors], [0, []]);
    again();
    await recorder.flush();
    const { items } = await cluster.client.resource(events, "default").list();
    assert.deepEqual(
      items.map(({ count, series }) => series?.count ?? count),
      [2],
    );
  });
