/** What happens while a conversion webhook takes its time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, startApi } from "./api.ts";
import { defineRooms, definitions, startWebhook, until } from "./conversion-webhook.ts";

const v1 = "/apis/example.com/v1/namespaces/default/rooms";
const v2 = "/apis/example.com/v2/namespaces/default/rooms";
const type = "application/merge-patch+json";
const room = (version: string, spec: object): Json => ({
  apiVersion: `example.com/${version}`,
  kind: "Room",
  metadata: { name: "a" },
  spec,
});

/** Rooms whose next conversion waits until it is released. */
async function house() {
  const webhook = await startWebhook();
  const api = await startApi();
  await defineRooms(api, { url: `https://127.0.0.1:${webhook.port}/convert`, caBundle: webhook.caBundle });
  const hold = () => {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    webhook.misbehave = async (_, good) => {
      webhook.misbehave = undefined;
      reached.resolve();
      await released.promise;
      return good;
    };
    return { reached: reached.promise, release: released.resolve };
  };
  return {
    api,
    hold,
    async [Symbol.asyncDispose]() {
      await api.server.close();
      await webhook.stop();
    },
  };
}

test("a writer does not wait for another whose object is being converted, and neither write is lost", async () => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room("v1", { size: "3x4" }) });
  const held = at.hold();
  let isSlowDone = false;
  const slow = at.api.send("PATCH", `${v2}/a`, { type, body: { spec: { color: "red" } } }).finally(() => {
    isSlowDone = true;
  });
  await held.reached;
  let quick: Json;
  void at.api.send("PATCH", `${v2}/a`, { type, body: { spec: { floor: "2" } } }).then((answer) => {
    quick = answer;
  });
  await until(() => quick !== undefined);
  assert.deepEqual([quick.status, isSlowDone], [200, false]);
  held.release();
  assert.deepEqual((await slow).body.spec, { color: "red", floor: "2", width: 3, height: 4 });
});

test("an object whose conversion outlasts its definition is not stored", async () => {
  await using at = await house();
  const held = at.hold();
  const created = at.api.send("POST", v2, { body: room("v2", { width: 1, height: 2 }) });
  await held.reached;
  await at.api.send("DELETE", `${definitions}/rooms.example.com`);
  await until(async () => (await at.api.send("GET", `${definitions}/rooms.example.com`)).status === 404);
  held.release();
  assert.equal((await created).status, 404);
  assert.deepEqual((await at.api.store.list("/registry/example.com/")).entries, []);
});
