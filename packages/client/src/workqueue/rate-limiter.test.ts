import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { defaultRateLimiter, exponentialBackoff, sharedBucket } from "./rate-limiter.ts";

test("each key has its own backoff, up to the most", () => {
  const limiter = exponentialBackoff({ baseMs: 5, maxMs: 30 });
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => limiter.nextDelay("a")),
    [5, 10, 20, 30, 30],
  );
  assert.equal(limiter.nextDelay("b"), 5);
  assert.equal(limiter.failures("a"), 5);
  limiter.forget("a");
  assert.deepEqual([limiter.failures("a"), limiter.nextDelay("a")], [0, 5]);
});

test("a thousand failures in a row are no overflow", () => {
  const limiter = exponentialBackoff();
  for (let i = 0; i < 2000; i++) limiter.nextDelay("a");
  assert.equal(limiter.nextDelay("a"), 1_000_000);
});

test("the bucket lets the burst pass, and then one every tenth of a second", () => {
  const clock = new ManualClock();
  const limiter = sharedBucket({ clock, burst: 2 });
  assert.deepEqual(
    [1, 2, 3, 4].map(() => limiter.nextDelay("any")),
    [0, 0, 100, 200],
  );
  clock.advance(250);
  assert.equal(limiter.nextDelay("any"), 50);
  clock.advance(60_000);
  assert.deepEqual(
    [1, 2, 3].map(() => limiter.nextDelay("any")),
    [0, 0, 100],
  );
});

test("by default the key's own backoff counts until a hundred keys fail at once", () => {
  const limiter = defaultRateLimiter(new ManualClock());
  const delays = Array.from({ length: 103 }, (_, key) => limiter.nextDelay(key));
  assert.deepEqual([...new Set(delays.slice(0, 100))], [5]);
  assert.deepEqual(delays.slice(100), [100, 200, 300]);
});
