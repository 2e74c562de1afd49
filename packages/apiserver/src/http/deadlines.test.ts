import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { Deadlines } from "./deadlines.ts";

function setUp() {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, 1_000);
  const expired: string[] = [];
  return { clock, expired, set: (name: string) => deadlines.set(() => void expired.push(name)) };
}

test("each deadline expires after its own time, once", async () => {
  const { clock, expired, set } = setUp();
  set("a");
  await clock.advance(600);
  set("b");
  await clock.advance(399);
  assert.deepEqual(expired, []);
  await clock.advance(1);
  assert.deepEqual(expired, ["a"]);
  await clock.advance(600);
  assert.deepEqual(expired, ["a", "b"]);
  await clock.advance(10_000);
  assert.deepEqual(expired, ["a", "b"]);
});

test("what is cancelled does not expire, and holds nothing up", async () => {
  const { clock, expired, set } = setUp();
  set("a").cancel();
  await clock.advance(500);
  set("b");
  await clock.advance(1_000);
  assert.deepEqual(expired, ["b"]);
  set("c");
  await clock.advance(1_000);
  assert.deepEqual(expired, ["b", "c"]);
});

test("a deadline may be cancelled again, and after it expired", async () => {
  const { clock, expired, set } = setUp();
  const a = set("a");
  set("b");
  a.cancel();
  a.cancel();
  const c = set("c");
  await clock.advance(1_000);
  assert.deepEqual(expired, ["b", "c"]);
  c.cancel();
  set("d");
  await clock.advance(1_000);
  assert.deepEqual(expired, ["b", "c", "d"]);
});
