import assert from "node:assert/strict";
import { test } from "node:test";
import { ageCell, humanDuration } from "./age.ts";

const [s, m, h, d, y] = [1000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000];

const durations: readonly (readonly [number, string])[] = [
  [-2 * s, "<invalid>"],
  [-1999, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [119_999, "119s"],
  [2 * m, "2m"],
  [2 * m + 3 * s, "2m3s"],
  [10 * m + 59 * s, "10m"],
  [3 * h - 1, "179m"],
  [3 * h, "3h"],
  [5 * h + 12 * m, "5h12m"],
  [8 * h + 59 * m, "8h"],
  [47 * h, "47h"],
  [2 * d, "2d"],
  [3 * d + 4 * h, "3d4h"],
  [8 * d + 5 * h, "8d"],
  [2 * y - 1, "729d"],
  [2 * y + 35 * d, "2y35d"],
  [3 * y, "3y"],
  [8 * y + 100 * d, "8y"],
];
for (const [ms, expect] of durations) test(`${ms} ms is ${expect}`, () => assert.equal(humanDuration(ms), expect));

test("an age counts from the timestamp, and no timestamp has no age", () => {
  const now = Date.parse("2026-01-01T00:10:00Z");
  assert.equal(ageCell("2026-01-01T00:00:00Z", now), "10m");
  assert.equal(ageCell("2026-01-01T00:00:00.500000Z", now), "9m59s");
  assert.equal(ageCell(undefined, now), "<unknown>");
  assert.equal(ageCell(null, now), "<unknown>");
});
