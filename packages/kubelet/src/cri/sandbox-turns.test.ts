import assert from "node:assert/strict";
import { test } from "node:test";
import { SandboxTurns } from "./sandbox-turns.ts";

test("nothing reads while a sandbox is made, and none is made while somebody reads", async () => {
  const turns = new SandboxTurns();
  const order: string[] = [];
  const reading = Promise.withResolvers<void>();
  const read = turns.read(async () => {
    await reading.promise;
    order.push("read");
  });
  const making = Promise.withResolvers<void>();
  const made = turns.change(async () => {
    order.push("make");
    await making.promise;
  });
  assert.equal(
    turns.read(async () => order.push("too soon")),
    undefined,
  );
  reading.resolve();
  await read;
  making.resolve();
  await made;
  await turns.read(async () => order.push("again"));
  assert.deepEqual(order, ["read", "make", "again"]);
});

test("a failure of one is none of the other", async () => {
  const turns = new SandboxTurns();
  const read = turns.read(() => Promise.reject(new Error("no figures")));
  const made = turns.change(async () => "made");
  await assert.rejects(read ?? Promise.resolve(), /no figures/);
  assert.equal(await made, "made");
  await assert.rejects(
    turns.change(() => Promise.reject(new Error("none"))),
    /none/,
  );
  assert.equal(await turns.read(async () => "read"), "read");
});
