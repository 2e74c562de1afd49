/** Conflicts, and what becomes of them, over real servers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type api,
  ConnectionError,
  configMaps,
  conflictChanges,
  deployments,
  explainConflict,
  isConflict,
  RetriesExhausted,
} from "@coxswain/client";
import { FaultScript, startCluster } from "coxswain/testing";
import { onEachServer } from "./each-server.ts";

type ConfigMap = api.coreV1.ConfigMap;
const message =
  'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again';

onEachServer(
  "an update that lost learns what changed, and whether that matters to it",
  async ({ client, namespace, another, explains }) => {
    const mine = client.resource(configMaps, namespace);
    const ann = (await another({ fieldManager: "ann" })).resource(configMaps, namespace);
    const read = await mine.create({ metadata: { name: "a" }, data: { x: "1", y: "1" } });
    await ann.patch("a", { type: "merge", patch: { data: { x: "2", z: "1" } } });
    await assert.rejects(mine.update({ ...read, data: { x: "3", y: "1" } }), (error) => {
      assert.ok(isConflict(error));
      assert.equal(error.message, message);
      if (!explains) return explainConflict(error) === message;
      assert.deepEqual(
        conflictChanges(error).map(({ reason, field }) => `${reason} ${field}`),
        ["OverlappingChange .data.x", "OtherChange .data.z"],
      );
      const lines = explainConflict(error).split("\n");
      assert.equal(lines[0], message);
      assert.match(lines[1] ?? "", /^ {2}\.data\.x: changed by manager "ann" .*; this write changes it too$/);
      assert.match(lines[2] ?? "", /^ {2}\.data\.z: added by manager "ann" .*; this write would remove it again$/);
      return true;
    });
  },
);

onEachServer("a writer that reads again after a conflict keeps the other's change", async ({ client, namespace, another }) => {
  const ann = (await another({ fieldManager: "ann" })).resource(configMaps, namespace);
  const mine = client.resource(configMaps, namespace);
  await mine.create({ metadata: { name: "a" }, data: { n: "0" } });
  let attempts = 0;
  const { data } = await mine.modify("a", async (draft) => {
    if (++attempts === 1) await ann.patch("a", { type: "merge", patch: { data: { ann: "was here" } } });
    draft.data = { ...draft.data, n: "1" };
  });
  assert.equal(attempts, 2);
  assert.deepEqual(data, { n: "1", ann: "was here" });
});

onEachServer(
  "each refused write of a contended object gets an explanation of every conflicting change",
  async ({ client, namespace, another, explains }) => {
    const ann = (await another({ fieldManager: "ann" })).resource(configMaps, namespace);
    const mine = client.resource(configMaps, namespace);
    await mine.create({ metadata: { name: "a" }, data: {} });
    let n = 0;
    const change = async (draft: ConfigMap): Promise<void> => {
      n++;
      await ann.patch("a", { type: "merge", patch: { data: { [`try${n}`]: "x" } } });
      draft.data = { mine: "yes" };
    };
    await assert.rejects(mine.modify("a", change, { retry: { attempts: 3 } }), (error) => {
      assert.ok(error instanceof RetriesExhausted && isConflict(error));
      assert.equal(error.status.message, message);
      if (!explains) return true;
      assert.deepEqual(
        error.conflicts.flatMap(conflictChanges).map(({ field }) => field),
        [".data.try1", ".data.try2", ".data.try3"],
      );
      for (const field of [".data.try1", ".data.try2", ".data.try3"]) assert.ok(error.message.includes(field));
      return true;
    });
  },
);

onEachServer("a conflict explanation names a delete, and never a resourceVersion", async ({ client, namespace, explains }) => {
  const all = client.resource(deployments, namespace);
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "example.com/web:1" }] } };
  const read = await all.create({ metadata: { name: "web" }, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
  const now = await all.patch("web", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
  const { resourceVersion = "" } = read.metadata ?? {};
  await assert.rejects(all.delete("web", { preconditions: { resourceVersion } }), (error) => {
    assert.ok(isConflict(error));
    if (!explains) return true;
    assert.ok(
      conflictChanges(error).some(
        ({ field, reason }) => field === ".metadata.labels.a" || (reason === "OverlappingChange" && field === ".metadata.labels"),
      ),
    );
    for (const { message: text } of conflictChanges(error)) assert.ok(!text.includes(`"${now.metadata?.resourceVersion}"`));
    return true;
  });
});

const losses = [
  { name: "the answer to a write is lost: it took effect", fault: { kind: "lose-answer" }, there: true },
  { name: "a write whose request was lost has an unknown outcome", fault: { kind: "lose-request" }, there: false },
] as const;
for (const { name, fault, there } of losses)
  test(`${name}, and it is not sent again`, async () => {
    await using cluster = await startCluster();
    const faults = new FaultScript([{ fault, on: { verb: "write" }, times: 1 }]);
    const maps = cluster.clientFor({ name: "unlucky" }, { faults }).resource(configMaps, "default");
    await assert.rejects(
      maps.create({ metadata: { name: "a" } }),
      (error) => error instanceof ConnectionError && /may have taken effect/.test(error.message),
    );
    const { items } = await maps.list({ fieldSelector: "metadata.name=a" });
    assert.equal(items.length === 1, there);
    assert.equal(faults.steps.length, 2);
  });
