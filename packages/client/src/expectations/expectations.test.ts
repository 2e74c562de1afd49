import assert from "node:assert/strict";
import { test } from "node:test";
import { isAlreadyExists, isConflict } from "@coxswain/machinery";
import type { ResourceClient } from "../contracts/client.ts";
import { type Item, items, quiet } from "../informer/fake-server.ts";
import { ConnectionError } from "../transport/transport.ts";
import { CacheBehindError } from "./expectations.ts";
import { owner, start } from "./expectations-under-test.ts";

const options = { fieldManager: "test" };

/** The writes that one object answers. */
const writesOf: readonly { readonly name: string; readonly write: (resource: ResourceClient<Item>) => Promise<Item> }[] = [
  { name: "create", write: (r) => r.create({ metadata: { name: "new", namespace: "default" } }) },
  { name: "create with generateName", write: (r) => r.create({ metadata: { generateName: "new-", namespace: "default" } }) },
  { name: "update", write: (r) => r.update({ metadata: { name: "a", namespace: "default" }, value: 1 }) },
  { name: "updateStatus", write: (r) => r.updateStatus({ metadata: { name: "a", namespace: "default" }, value: 1 }) },
  { name: "patch", write: (r) => r.patch("a", { type: "merge", patch: { value: 1 } }) },
  { name: "apply", write: (r) => r.apply({ metadata: { name: "a", namespace: "default" }, value: 1 }, options) },
  { name: "modify", write: (r) => r.modify("a", (draft) => ({ ...draft, value: 1 })) },
];
for (const { name, write } of writesOf) {
  test(`${name}: the cache shows the answer at once, and the watch reports nothing new`, async () => {
    const { server, informer, writes, resource, cached, stop } = await start();
    const reported: string[] = [];
    const answer = await write(resource);
    assert.deepEqual(cached(answer.metadata?.name ?? ""), answer);
    assert.equal(writes.satisfied(owner), true);
    informer.subscribe(({ type, object }) => void reported.push(`${type} ${object.metadata?.name}`));
    const initial = reported.length;
    server.sendEvents();
    await quiet();
    assert.equal(reported.length, initial);
    await stop();
  });
  test(`${name}: where only the watch can show it, it is waited for`, async () => {
    const { server, writes, resource, cached, stop } = await start({ fieldSelector: "spec.x=y" });
    const answer = await write(resource);
    assert.equal(writes.satisfied(owner), false);
    let settled = false;
    const waiting = writes.untilSatisfied(owner).then(() => {
      settled = true;
    });
    await quiet();
    assert.equal(settled, false);
    server.sendEvents();
    await waiting;
    assert.equal(cached(answer.metadata?.name ?? "")?.metadata?.resourceVersion, answer.metadata?.resourceVersion);
    await stop();
  });
  test(`${name}: with a lost answer the server is asked`, async () => {
    const { server, writes, resource, cached, stop } = await start();
    const generated = name.includes("generateName");
    server.fault = { error: new ConnectionError("gone"), when: "after" };
    await assert.rejects(write(resource), ConnectionError);
    assert.equal(writes.satisfied(owner), false);
    server.requests.length = 0;
    await writes.untilSatisfied(owner);
    assert.deepEqual(server.requests, [generated ? "list" : `get ${name === "create" ? "new" : "a"}`]);
    for (const item of server.objects.values()) assert.deepEqual(cached(item.metadata?.name ?? ""), item);
    assert.equal(writes.satisfied(owner), true);
    await stop();
  });
}

test("a write that never took effect leaves nothing to wait for once the server was asked", async () => {
  const { server, writes, resource, stop } = await start();
  server.fault = { error: new ConnectionError("gone"), when: "before" };
  await assert.rejects(resource.create({ metadata: { name: "new" } }), ConnectionError);
  assert.equal(writes.satisfied(owner), false);
  await writes.untilSatisfied(owner);
  assert.equal(server.objects.size, 2);
  await stop();
});

const certain = [
  {
    name: "what was refused",
    error: undefined,
    write: (r: ResourceClient<Item>) => r.update({ metadata: { name: "a", resourceVersion: "1" } }),
  },
  { name: "what was never sent", error: new ConnectionError("no", { unsent: true }), write: (r: ResourceClient<Item>) => r.delete("a") },
];
for (const { name, error, write } of certain) {
  test(`${name} leaves nothing unconfirmed`, async () => {
    const { server, writes, resource, stop } = await start();
    if (error !== undefined) server.fault = { error, when: "before" };
    await assert.rejects(write(resource), (thrown) => thrown === error || isConflict(thrown));
    assert.equal(writes.satisfied(owner), true);
    await stop();
  });
}

test("a write that is under way when another fails is waited for", async () => {
  const { server, writes, resource, stop } = await start();
  const slow = Promise.withResolvers<void>();
  server.hold = slow.promise;
  const both = [resource.create({ metadata: { generateName: "new-" } }), resource.create({ metadata: { name: "a" } })];
  await assert.rejects(Promise.all(both), isAlreadyExists);
  assert.equal(writes.satisfied(owner), false);
  const settled = writes.untilSatisfied(owner);
  await quiet();
  assert.equal(server.objects.size, 2);
  slow.resolve();
  await settled;
  assert.equal(server.objects.size, 3);
  assert.equal(writes.satisfied(owner), true);
  await stop();
});

test("what is only tried is not waited for", async () => {
  const { writes, resource, stop } = await start({ fieldSelector: "spec.x=y" });
  await resource.update({ metadata: { name: "a" } }, { dryRun: true });
  assert.equal(writes.satisfied(owner), true);
  await stop();
});

test("an answer that says too little of the object is a reason to ask", async () => {
  const { server, writes, resource, cached, stop } = await start();
  await resource.scale("a", 3);
  assert.equal(writes.satisfied(owner), false);
  await writes.untilSatisfied(owner);
  assert.equal(cached("a")?.value, 3);
  assert.deepEqual(server.requests, ["scale", "get a"]);
  await stop();
});

test("without an owner each object is its own", async () => {
  const { server, writes, stop } = await start({ fieldSelector: "spec.x=y" });
  await writes
    .clientFor()
    .resource(items)
    .update({ metadata: { name: "a" } });
  assert.equal(writes.satisfied({ name: "a" }), false);
  assert.equal(writes.satisfied({ namespace: "default", name: "a" }), false);
  assert.equal(writes.satisfied({ namespace: "default", name: "b" }), true);
  server.sendEvents();
  await writes.untilSatisfied({ name: "a" });
  await stop();
});

test("without an owner a create of unknown name concerns its namespace", async () => {
  const { server, writes, stop } = await start();
  server.fault = { error: new ConnectionError("gone"), when: "after" };
  await assert.rejects(
    writes
      .clientFor()
      .resource(items, "default")
      .create({ metadata: { generateName: "new-" } }),
    ConnectionError,
  );
  assert.equal(writes.satisfied({ namespace: "default", name: "b" }), false);
  assert.equal(writes.satisfied({ namespace: "other", name: "b" }), true);
  await writes.untilSatisfied({ namespace: "default", name: "b" });
  assert.equal(writes.satisfied({ namespace: "default", name: "c" }), true);
  await stop();
});

test("versions that cannot be compared: settled once the cache shows what a consistent read gives", async () => {
  const { server, writes, resource, cached, stop } = await start({}, (version) => `v${version}`);
  const answer = await resource.update({ metadata: { name: "a" } });
  assert.equal(writes.satisfied(owner), false);
  server.put("a", { value: 7 });
  const waiting = writes.untilSatisfied(owner);
  await quiet();
  server.sendEvents(1);
  await quiet();
  assert.equal(cached("a")?.metadata?.resourceVersion, answer.metadata?.resourceVersion);
  server.sendEvents();
  await waiting;
  assert.equal(cached("a")?.value, 7);
  await stop();
});

test("waits no longer than it may, and says for what", async () => {
  const { server, writes, resource, stop } = await start({ fieldSelector: "spec.x=y" });
  await resource.update({ metadata: { name: "a" } });
  const waiting = writes.untilSatisfied(owner, { timeoutMs: 1_000 });
  const aborting = new AbortController();
  const aborted = writes.untilSatisfied(owner, { signal: aborting.signal });
  aborting.abort(new Error("enough"));
  await assert.rejects(aborted, /^Error: enough$/);
  server.clock.advance(1_000);
  await assert.rejects(waiting, (error) => error instanceof CacheBehindError && error.message.includes("items default/a"));
  assert.equal(writes.satisfied(owner), false);
  server.sendEvents();
  await quiet();
  assert.equal(writes.satisfied(owner), true);
  await stop();
});

test("a server whose history restarted is not waited for", async () => {
  const { server, writes, resource, stop } = await start({ fieldSelector: "spec.x=y" });
  await resource.update({ metadata: { name: "a" } });
  server.push({ type: "LISTED", items: [], resourceVersion: "7" });
  await quiet();
  assert.equal(writes.satisfied(owner), true);
  await stop();
});
