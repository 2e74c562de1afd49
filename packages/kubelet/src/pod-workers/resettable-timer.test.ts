import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, ManualClock } from "@coxswain/machinery";
import { ResettableTimer } from "./resettable-timer.ts";

function timer() {
  const manual = new ManualClock();
  let shiftMs = 0;
  const clock: Clock = {
    now: () => manual.now() + shiftMs,
    monotonic: () => manual.monotonic(),
    schedule: (afterMs, fn) => manual.schedule(afterMs, fn),
  };
  const fired: number[] = [];
  const made = new ResettableTimer(clock, () => fired.push(manual.monotonic()));
  return {
    manual,
    made,
    fired,
    setCalendarBack: (ms: number) => {
      shiftMs -= ms;
    },
  };
}

test("the time that was set last counts", () => {
  const { manual, made, fired } = timer();
  made.set(1000);
  made.set(3000);
  manual.advance(5000);
  assert.deepEqual(fired, [3000]);
});

test("setBy only makes it earlier", () => {
  const { manual, made, fired } = timer();
  made.set(2000);
  made.setBy(3000);
  made.setBy(1000);
  manual.advance(5000);
  assert.deepEqual(fired, [1000]);
});

test("a calendar that is set back does not delay it", () => {
  const { manual, made, fired, setCalendarBack } = timer();
  made.set(2000);
  setCalendarBack(3_600_000);
  made.setBy(1000);
  manual.advance(5000);
  assert.deepEqual(fired, [1000]);
});

test("nothing waits after it is disposed of", () => {
  const { manual, made } = timer();
  made.set(1000);
  made[Symbol.dispose]();
  assert.equal(manual.waiting, 0);
});
