import assert from "node:assert/strict";
import { test } from "node:test";
import { events } from "@coxswain/client";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const note = (cluster: TestCluster, name: string) =>
  cluster.client.resource(events).create({
    metadata: { name, namespace: "default" },
    involvedObject: { kind: "Pod", namespace: "default", name: "web" },
    reason: "Started",
    type: "Normal",
  });
const names = async (cluster: TestCluster) => (await cluster.client.resource(events).list()).items.map(({ metadata }) => metadata?.name);

test("events are gone an hour after they were last written, and watches see it", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  await note(cluster, "first");
  await cluster.advance({ minutes: 20 });
  await note(cluster, "second");
  await cluster.advance({ minutes: 20 });
  await cluster.client.resource(events).patch("first", { type: "merge", patch: { count: 2 } });
  const gone = cluster.waitFor(events, "second", "delete", { timeoutMs: 86_400_000 });
  await cluster.advance({ minutes: 39 });
  assert.deepEqual(await names(cluster), ["first", "second"]);
  await cluster.advance({ minutes: 2 });
  assert.deepEqual(await names(cluster), ["first"]);
  assert.equal((await gone)?.metadata?.name, "second");
  await cluster.advance({ minutes: 20 });
  assert.deepEqual(await names(cluster), []);
});

test("after a restart they have the time that was left", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  await note(cluster, "old");
  await cluster.advance({ minutes: 50 });
  await note(cluster, "young");
  await using fork = await cluster.fork();
  await fork.advance({ minutes: 11 });
  assert.deepEqual(await names(fork), ["young"]);
  assert.deepEqual(await names(cluster), ["old", "young"]);
});
