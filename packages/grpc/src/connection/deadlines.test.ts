import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { Deadlines } from "./deadlines.ts";

function setUp() {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  const add = (name: string, afterMs: number) => {
    const one = { deadline: clock.monotonic() + afterMs, expire: () => void expired.push(`${name} at ${clock.monotonic()}`) };
    deadlines.add(one, afterMs);
    return () => deadlines.remove(one, afterMs);
  };
  return { clock, deadlines, expired, add };
}

test("each expires at its deadline, those with other limits too; what was removed does not", () => {
  const { clock, expired, add } = setUp();
  add("a", 100);
  add("short", 30);
  clock.advance(40);
  const removeB = add("b", 100);
  add("c", 100);
  removeB();
  clock.advance(200);
  assert.deepEqual(expired, ["short at 30", "a at 100", "c at 140"]);
});

test("calls that may take equally long share a timer, which goes when none waits", () => {
  const { clock, deadlines, expired, add } = setUp();
  for (let i = 0; i < 100; i++) add("answered", 50)();
  assert.equal(clock.waiting, 1);
  clock.advance(50);
  assert.equal(clock.waiting, 0);
  add("late", 50);
  clock.advance(49);
  add("disposed", 50);
  clock.advance(1);
  deadlines[Symbol.dispose]();
  assert.equal(clock.waiting, 0);
  clock.advance(100);
  assert.deepEqual(expired, ["late at 100"]);
});

test("one that begins when another expires has its own time", () => {
  const { clock, deadlines, expired, add } = setUp();
  deadlines.add({ deadline: clock.monotonic() + 10, expire: () => void add("second", 10) }, 10);
  clock.advance(19);
  assert.deepEqual(expired, []);
  clock.advance(1);
  assert.deepEqual(expired, ["second at 20"]);
});
