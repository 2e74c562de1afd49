import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import { KeyedLock } from "../storage/keyed-lock.ts";
import { guaranteedUpdate, maxWaitMs } from "./guaranteed-update.ts";

function setup() {
  const clock = new ManualClock();
  const server = { store: createMemoryStore({ clock }), locks: new KeyedLock(), clock };
  /** A write that takes its time. */
  const slow = (ms: number) => async (): Promise<string> => {
    await null;
    clock.advance(ms);
    return "written";
  };
  return { clock, server, slow };
}

test("what waited long for its turn has all its time then", async () => {
  const { server, slow } = setup();
  const writes = Array.from({ length: 3 }, () => guaranteedUpdate(server, "/k", slow(maxWaitMs - 1)));
  assert.deepEqual(await Promise.all(writes), ["written", "written", "written"]);
});

test("a write is tried again until its time is over", async () => {
  const { server, clock } = setup();
  let tries = 0;
  const losing = async (): Promise<"conflict"> => {
    tries++;
    clock.advance(maxWaitMs / 2);
    return "conflict";
  };
  await assert.rejects(guaranteedUpdate(server, "/k", losing), { code: 504 });
  assert.equal(tries, 2);
});

test("who is not in line neither waits nor holds up others", async () => {
  const { server, slow } = setup();
  const webhook = Promise.withResolvers<string>();
  const waiting = guaranteedUpdate(server, "/k", () => webhook.promise, { inLine: false });
  assert.equal(await guaranteedUpdate(server, "/k", slow(0), { inLine: false }), "written");
  assert.equal(await guaranteedUpdate(server, "/k", slow(0)), "written");
  webhook.resolve("written");
  assert.equal(await waiting, "written");
});
