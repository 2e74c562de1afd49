import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyMemory, BodyRoom } from "./body-memory.ts";

const mib = 1024 * 1024;

test("room for bodies is bounded for each user and for all, and comes back", () => {
  const memory = new BodyMemory();
  const jane = new BodyRoom(memory, "jane");
  assert.deepEqual([jane.take(20 * mib), jane.take(20 * mib), jane.take(12 * mib)], [true, false, true]);
  const again = new BodyRoom(memory, "jane");
  assert.equal(again.take(1), false);
  const others = ["a", "b", "c"].map((user) => new BodyRoom(memory, user));
  assert.deepEqual(
    others.map((room) => room.take(32 * mib)),
    [true, true, false],
  );
  assert.equal(jane.taken, 32 * mib);
  jane.release();
  assert.equal(again.take(32 * mib), true);
  for (const room of [again, ...others]) room.release();
  assert.deepEqual([memory.all.bytes, memory.each.size], [0, 0]);
});

test("who has nothing yet is not forgotten when another request of the user ends", () => {
  const memory = new BodyMemory();
  const [first, second] = [new BodyRoom(memory, "jane"), new BodyRoom(memory, "jane")];
  first.release();
  assert.equal(second.take(32 * mib), true);
  assert.equal(new BodyRoom(memory, "jane").take(1), false);
});
