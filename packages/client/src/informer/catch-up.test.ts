import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { catchUp } from "./catch-up.ts";
import { quiet } from "./fake-server.ts";
import type { Informer } from "./informer.ts";
import { start } from "./own-writes-under-test.ts";

async function behind() {
  const scene = await start();
  const informers = [scene.informer as Informer<KubeObject> as Informer];
  const caughtUp = (timeoutMs = 1_000) => catchUp(scene.server.client, informers, { timeoutMs, signal: undefined });
  return { ...scene, caughtUp };
}

test("what somebody else has changed or made is taken from what the server has, before the watch tells", async () => {
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
  server.tell();
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
