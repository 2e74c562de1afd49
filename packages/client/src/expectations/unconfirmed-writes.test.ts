import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, notFound, unknownPath } from "@coxswain/machinery";
import type { Discovered, DiscoveredResource } from "../contracts/discovered.ts";
import { items, quiet } from "../informer/fake-server.ts";
import { ConnectionError } from "../transport/transport.ts";
import { owner, type Scene, start } from "./expectations-under-test.ts";

const lost = () => new ConnectionError("lost on the way back");
const forbidden = failure(403, "Forbidden", "items is forbidden: cannot get", {});
const notAllowed = failure(405, "MethodNotAllowed", "not allowed", {});
const broken = failure(500, "InternalError", "conversion webhook failed", {});

/** A write whose answer is lost; `untold`: before it takes effect. */
async function unconfirmed(scene: Scene, when: "before" | "after"): Promise<void> {
  scene.server.fault = { error: lost(), when };
  await assert.rejects(scene.resource.update({ metadata: { name: "a" }, value: 5 }), ConnectionError);
}

for (const error of [forbidden, notAllowed]) {
  test(`${error.code} on get: the list shows the outcome of a write`, async () => {
    const scene = await start();
    const { server, writes } = scene;
    server.getFault = error;
    await unconfirmed(scene, "after");
    await writes.untilSatisfied(owner);
    assert.equal(scene.cached("a")?.value, 5);
    assert.deepEqual(server.requests.slice(1), ["get a", "list"]);
    await scene.stop();
  });
}

test("a server that does not answer: the watch confirms the write", async () => {
  const scene = await start();
  const { server, writes } = scene;
  server.getFault = broken;
  await unconfirmed(scene, "after");
  await assert.rejects(writes.untilSatisfied(owner), broken);
  server.sendEvents();
  await quiet();
  await writes.untilSatisfied(owner);
  assert.equal(writes.satisfied(owner), true);
  await scene.stop();
});

test("a server that never answers, and a write that never took effect: a watch in order ends the wait after a minute", async () => {
  const scene = await start();
  const { server, writes } = scene;
  server.getFault = broken;
  await unconfirmed(scene, "before");
  server.clock.advance(59_999);
  await assert.rejects(writes.untilSatisfied(owner), broken);
  server.clock.advance(1);
  assert.equal(writes.satisfied(owner), true);
  await scene.stop();
});

test("with a watch that is interrupted it ends after five", async () => {
  const scene = await start();
  const { server, writes } = scene;
  server.getFault = broken;
  await unconfirmed(scene, "before");
  server.interrupt();
  server.clock.advance(299_999);
  assert.equal(writes.satisfied(owner), false);
  server.clock.advance(1);
  assert.equal(writes.satisfied(owner), true);
  await scene.stop();
});

test("what the caches never show is not waited for longer than that either", async () => {
  const { server, writes, resource, stop } = await start({ fieldSelector: "spec.x=y" });
  await resource.update({ metadata: { name: "a" } });
  server.clock.advance(299_999);
  assert.equal(writes.satisfied(owner), false);
  server.clock.advance(1);
  assert.equal(writes.satisfied(owner), true);
  await stop();
});

const itemsIn = (version: string) => ({ ...items, version }) as unknown as DiscoveredResource;
const afterwards: readonly { name: string; discovered: Discovered; settles: boolean }[] = [
  { name: "the resource is gone", discovered: { resources: [], failed: [] }, settles: true },
  { name: "another version is served", discovered: { resources: [itemsIn("v2")], failed: [] }, settles: false },
  {
    name: "neither can be read",
    discovered: { resources: [], failed: [{ group: "", version: "v1", error: new Error("down") }] },
    settles: false,
  },
];
for (const { name, discovered, settles } of afterwards)
  for (const many of [false, true])
    test(`404 for ${many ? "a collection" : "a path"}: ${name}`, async () => {
      const scene = await start();
      const { server, resource, writes } = scene;
      Object.assign(server, { getFault: unknownPath(), listFault: unknownPath(), discovered });
      if (many) await resource.deleteCollection();
      else await unconfirmed(scene, "after");
      if (settles) await writes.untilSatisfied(owner);
      else await assert.rejects(writes.untilSatisfied(owner), /could not find the requested resource/);
      assert.equal(writes.satisfied(owner), settles);
      await scene.stop();
    });

test("a 404 of something else is no absence", async () => {
  const scene = await start();
  const { server, writes } = scene;
  server.getFault = notFound({ group: "", resource: "namespaces" }, "default");
  server.discovered = { resources: [itemsIn("v1")], failed: [] };
  await unconfirmed(scene, "after");
  await assert.rejects(writes.untilSatisfied(owner), server.getFault);
  await scene.stop();
});
