import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { CrashBackoff } from "./crash-backoff.ts";

/** Ends at once each time, and is started again as early as the backoff allows. Seconds that it waited. */
function waits(backoff: CrashBackoff, clock: ManualClock, times: number): number[] {
  return Array.from({ length: times }, () => {
    const endedAt = clock.now();
    const delay = backoff.delayAfter("main", endedAt) ?? 0;
    clock.advance(delay);
    assert.equal(backoff.delayAfter("main", endedAt), undefined);
    backoff.lengthen("main", endedAt);
    return delay / 1000;
  });
}

test("the backoff doubles with each end, up to five minutes, and restarts after the container ran for ten", () => {
  const clock = new ManualClock();
  const backoff = new CrashBackoff(clock);
  assert.deepEqual(waits(backoff, clock, 8), [0, 10, 20, 40, 80, 160, 300, 300]);
  clock.advance(600_000);
  assert.deepEqual(waits(backoff, clock, 2), [300, 300], "exactly ten minutes are not more");
  clock.advance(600_001);
  assert.deepEqual(waits(backoff, clock, 3), [0, 10, 20]);
});

test("containers wait for themselves", () => {
  const clock = new ManualClock();
  const backoff = new CrashBackoff(clock);
  waits(backoff, clock, 3);
  assert.equal(backoff.delayAfter("other", clock.now()), undefined);
});
