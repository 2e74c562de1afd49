import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, configMaps, ensureFinalizer, isConflict, isNotFound, releaseFinalizer } from "@coxswain/client";
import { startCluster } from "coxswain/testing";

const finalizer = "library.example/return";

async function start() {
  const cluster = await startCluster();
  const resource = cluster.client.resource(configMaps, "default");
  const object: api.coreV1.ConfigMap = await resource.create({ metadata: { name: "book", finalizers: ["other.example/x"] } });
  return { cluster, resource, object };
}

test("a finalizer holds what is deleted until it is released", async () => {
  const { cluster, resource, object } = await start();
  await using _ = cluster;
  const held = await ensureFinalizer(resource, object, finalizer);
  assert.deepEqual(held.metadata?.finalizers, ["other.example/x", finalizer]);
  assert.equal(await ensureFinalizer(resource, held, finalizer), held);
  await resource.delete("book");
  const going = await resource.get("book");
  assert.ok(going.metadata?.deletionTimestamp !== undefined);
  const released = await releaseFinalizer(resource, going, finalizer);
  assert.deepEqual(released.metadata?.finalizers, ["other.example/x"]);
  await releaseFinalizer(resource, released, "other.example/x");
  await assert.rejects(resource.get("book"), isNotFound);
});

test("a finalizer added concurrently is not lost: a writer with an old object gets a conflict", async () => {
  const { cluster, resource, object } = await start();
  await using _ = cluster;
  await ensureFinalizer(resource, object, "third.example/z");
  await assert.rejects(ensureFinalizer(resource, object, finalizer), isConflict);
  assert.deepEqual((await resource.get("book")).metadata?.finalizers, ["other.example/x", "third.example/z"]);
});
