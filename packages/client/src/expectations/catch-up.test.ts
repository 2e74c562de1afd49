import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeObject, serviceUnavailable, unknownPath } from "@coxswain/machinery";
import type { Discovered, DiscoveredResource } from "../contracts/discovered.ts";
import { type Item, items, quiet } from "../informer/fake-server.ts";
import type { Informer, InformerOptions } from "../informer/informer.ts";
import { catchUp } from "./catch-up.ts";
import { start } from "./expectations-under-test.ts";

async function behind(options: Partial<InformerOptions<Item>> = {}) {
  const scene = await start(options);
  const informers = [scene.informer as Informer<KubeObject> as Informer];
  const caughtUp = (timeoutMs = 1_000) => catchUp(scene.server.client, informers, { timeoutMs, signal: undefined });
  return { ...scene, caughtUp };
}

test("an object that another client has changed or created is read from the server, before the watch shows it", async () => {
  const { server, cached, caughtUp, stop } = await behind();
  server.put("a", { value: 5 });
  server.put("c");
  await caughtUp();
  assert.deepEqual([cached("a")?.value, cached("c")?.metadata?.name], [5, "c"]);
  assert.deepEqual(server.requests, ["list"]);
  await stop();
});

test("what has gone is waited for", async () => {
  const { server, cached, caughtUp, stop } = await behind();
  server.remove("a");
  let isOver = false;
  const waiting = caughtUp().then(() => {
    isOver = true;
  });
  await quiet();
  assert.equal(isOver, false);
  server.sendEvents();
  await waiting;
  assert.equal(cached("a"), undefined);
  await stop();
});

test("a watch that does not come so far in time is named", async () => {
  const { server, caughtUp, stop } = await behind();
  server.remove("a");
  const waiting = caughtUp();
  await quiet();
  server.clock.advance(1_000);
  await assert.rejects(waiting, /^Error: not caught up in time: items default\/a, deleted$/);
  await stop();
});

test("versions that cannot be compared are not waited for", async () => {
  const scene = await start({}, (version) => `v${version}`);
  scene.server.put("a", { value: 5 });
  await catchUp(scene.server.client, [scene.informer as Informer<KubeObject> as Informer], { timeoutMs: 1_000, signal: undefined });
  await scene.stop();
});

test("a list that fails is repeated, ever later", async () => {
  const { server, cached, caughtUp, stop } = await behind();
  server.put("a", { value: 5 });
  server.listFault = serviceUnavailable("down");
  const waiting = caughtUp(10_000);
  const listed: number[] = [];
  for (const ms of [0, 1_199, 1, 2_399, 1]) {
    server.clock.advance(ms);
    await quiet();
    listed.push(server.requests.length);
    if (listed.length === 4) server.listFault = undefined;
  }
  await waiting;
  assert.deepEqual([listed, cached("a")?.value], [[1, 1, 2, 2, 3], 5]);
  await stop();
});

test("who is asked to end while it waits to list again ends at once", async () => {
  const { server, informer, stop } = await behind();
  server.listFault = serviceUnavailable("down");
  const end = new AbortController();
  const waiting = catchUp(server.client, [informer as Informer<KubeObject> as Informer], { timeoutMs: 10_000, signal: end.signal });
  await quiet();
  end.abort(new Error("over"));
  await assert.rejects(waiting, /^Error: over$/);
  await quiet();
  assert.equal(server.requests.length, 1);
  await stop();
});

const served: Discovered = { resources: [items as unknown as DiscoveredResource], failed: [] };
const unread: readonly { name: string; fault: Error; discovered?: Discovered; fails: boolean }[] = [
  { name: "the server does not answer", fault: serviceUnavailable("down"), fails: true },
  { name: "404, and the resource is served", fault: unknownPath(), discovered: served, fails: true },
  { name: "404, and it is not served any more", fault: unknownPath(), discovered: { resources: [], failed: [] }, fails: false },
];
for (const { name, fault, discovered, fails } of unread)
  test(`until time runs out: ${name}`, async () => {
    const { server, caughtUp, stop } = await behind();
    Object.assign(server, { listFault: fault, discovered });
    const waiting = caughtUp();
    await quiet();
    server.clock.advance(1_000);
    if (fails) await assert.rejects(waiting, { message: `not caught up in time: items, not listed (${fault.message})`, cause: fault });
    else await waiting;
    await stop();
  });

test("no more is read than the copy selects", async (t) => {
  const selection = { labelSelector: "app=x", fieldSelector: "metadata.name=a", metadataOnly: true };
  const { server, caughtUp, stop } = await behind(selection);
  const list = t.mock.method(server.resource, "list");
  await caughtUp();
  const { signal: _, ...asked } = list.mock.calls[0]?.arguments[0] ?? {};
  assert.deepEqual(asked, selection);
  await stop();
});

test("an object that is being deleted, and of which only the metadata is known, may stay", async () => {
  const { server, cached, caughtUp, stop } = await behind({ metadataOnly: true });
  server.put("a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  const waiting = caughtUp();
  await quiet();
  server.sendEvents();
  await waiting;
  assert.notEqual(cached("a")?.metadata?.deletionTimestamp, undefined);
  await stop();
});
