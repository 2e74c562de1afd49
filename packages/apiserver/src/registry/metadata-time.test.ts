import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeSeconds } from "./metadata.ts";

test("times are written in whole seconds, whichever was asked for before", () => {
  for (const [ms, text] of [
    [0, "1970-01-01T00:00:00Z"],
    [999, "1970-01-01T00:00:00Z"],
    [1000, "1970-01-01T00:00:01Z"],
    [-1, "1969-12-31T23:59:59Z"],
    [1_795_400_000_500, "2026-11-23T02:13:20Z"],
    [0, "1970-01-01T00:00:00Z"],
  ] as const) {
    assert.equal(wholeSeconds(ms), text);
  }
  assert.throws(() => wholeSeconds(Number.NaN), RangeError);
});
