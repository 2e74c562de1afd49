import assert from "node:assert/strict";
import { test } from "node:test";
import { DroppedRequests } from "./dropped-requests.ts";

test("clients are told to wait longer while many are refused, and less when few are", () => {
  let seconds = 1_000;
  const dropped = new DroppedRequests({ now: () => seconds * 1000 });
  const record = (count: number): number => {
    for (let i = 0; i < count; i++) dropped.record();
    seconds++;
    return dropped.retryAfter;
  };
  assert.deepEqual([record(10), record(10), record(10), record(10)], [1, 2, 2, 4]);
  for (let i = 0; i < 100; i++) record(100);
  assert.equal(dropped.retryAfter, 32);
  seconds += 100;
  assert.deepEqual([record(1), record(1), record(1)], [31, 30, 29]);
});
