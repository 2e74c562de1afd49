import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "./manual-clock.ts";

test("timers run in the order of their moments, and of their setting where those are the same", () => {
  const delays = fc.array(fc.record({ ms: fc.nat(50), cancelled: fc.boolean() }), { maxLength: 300 });
  fc.assert(
    fc.property(delays, fc.nat(60), (timers, advanceMs) => {
      const clock = new ManualClock(0);
      const ran: number[] = [];
      const set = timers.map(({ ms }, i) =>
        clock.schedule(ms, () => {
          assert.equal(clock.now(), ms);
          ran.push(i);
        }),
      );
      for (const [i, { cancelled }] of timers.entries()) if (cancelled) set[i]?.[Symbol.dispose]();
      const left = timers.map(({ ms, cancelled }, i) => ({ ms, cancelled, i })).filter(({ cancelled }) => !cancelled);
      assert.equal(clock.waiting, left.length);
      assert.equal(clock.due, left.length === 0 ? undefined : Math.min(...left.map(({ ms }) => ms)));
      clock.advance(advanceMs);
      const due = left.filter(({ ms }) => ms <= advanceMs).sort((a, b) => a.ms - b.ms || a.i - b.i);
      assert.deepEqual(
        ran,
        due.map(({ i }) => i),
      );
      assert.equal(clock.now(), advanceMs);
      assert.equal(clock.waiting, left.length - due.length);
    }),
  );
});

test("what a timer schedules runs too when it is due in time", () => {
  const clock = new ManualClock(0);
  const at: number[] = [];
  const again = () => {
    at.push(clock.monotonic());
    clock.schedule(30, again);
  };
  clock.schedule(30, again);
  clock.advance(100);
  assert.deepEqual(at, [30, 60, 90]);
});

test("a step goes to the next timer, and no further than allowed", () => {
  const clock = new ManualClock(0);
  clock.schedule(10, () => undefined);
  assert.equal(clock.step(9), false);
  assert.equal(clock.now(), 0);
  assert.equal(clock.step(), true);
  assert.equal(clock.now(), 10);
  assert.equal(clock.step(), false);
});

test("an unreferenced timer is waiting, and not wanted", () => {
  const clock = new ManualClock(0);
  const timer = clock.schedule(10, () => undefined);
  assert.deepEqual([clock.waiting, clock.wanted], [1, 1]);
  timer.unref();
  timer.unref();
  assert.deepEqual([clock.waiting, clock.wanted], [1, 0]);
  timer[Symbol.dispose]();
  assert.deepEqual([clock.waiting, clock.wanted], [0, 0]);
});
