import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceClient } from "../contracts/client.ts";
import { type Item, quiet } from "../informer/fake-server.ts";
import { ConnectionError } from "../transport/transport.ts";
import { owner, start } from "./expectations-under-test.ts";

const deletions = [
  { name: "delete", delete: (r: ResourceClient<Item>) => r.delete("a") },
  { name: "delete with a lost answer", lost: true, delete: (r: ResourceClient<Item>) => r.delete("a") },
  { name: "deleteCollection", delete: (r: ResourceClient<Item>) => r.deleteCollection() },
];
for (const { name, lost = false, delete: remove } of deletions) {
  test(`${name}: settled once the object is gone from the cache`, async () => {
    const { server, writes, resource, cached, stop } = await start();
    if (lost) server.fault = { error: new ConnectionError("gone"), when: "after" };
    await remove(resource).catch((error) => assert.ok(error instanceof ConnectionError));
    const waiting = writes.untilSatisfied(owner);
    await quiet();
    assert.equal(writes.satisfied(owner), false);
    server.sendEvents();
    await waiting;
    assert.equal(cached("a"), undefined);
    await stop();
  });
}

test("what the server gave the name of a deleted object is no deleted object", async () => {
  const { server, writes, resource, cached, stop } = await start();
  await resource.delete("a");
  server.put("a");
  server.sendEvents();
  await writes.untilSatisfied(owner);
  assert.equal(cached("a")?.metadata?.uid, server.objects.get("default/a")?.metadata?.uid);
  await stop();
});

test("a successor that was there before the deletion was answered is no reason to ask where the answer names the deleted", async () => {
  const { server, writes, resource, cached, stop } = await start();
  server.answersUids = true;
  const answered = Promise.withResolvers<void>();
  server.holdAnswer = answered.promise;
  const deleting = resource.delete("a");
  await quiet();
  server.put("a");
  server.sendEvents();
  await quiet();
  answered.resolve();
  await deleting;
  assert.equal(writes.satisfied(owner), true);
  assert.equal(cached("a")?.metadata?.uid, server.objects.get("default/a")?.metadata?.uid);
  assert.deepEqual(server.requests, ["delete"]);
  await stop();
});

for (const lost of [false, true]) {
  test(`a successor that the watch shows before ${lost ? "a read" : "the deletion"} is answered stays in the cache`, async () => {
    const { server, writes, resource, cached, stop } = await start();
    const answered = Promise.withResolvers<void>();
    server.holdAnswer = answered.promise;
    if (lost) server.fault = { error: new ConnectionError("gone"), when: "after" };
    const deleting = resource.delete("a").catch((error) => assert.ok(error instanceof ConnectionError));
    await quiet();
    const settling = writes.untilSatisfied(owner);
    await quiet();
    server.put("a");
    server.sendEvents();
    await quiet();
    answered.resolve();
    await Promise.all([deleting, settling]);
    assert.equal(cached("a")?.metadata?.uid, server.objects.get("default/a")?.metadata?.uid);
    await stop();
  });
}
