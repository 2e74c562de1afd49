import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatGoDuration, parseGoDuration } from "./duration.ts";

const cases: readonly (readonly [string, number | string])[] = [
  ["0", 0],
  ["5s", 5_000],
  ["1h30m", 5_400_000],
  ["-1.5s", -1_500],
  ["+10ms", 10],
  ["1.s", 1_000],
  [".5m", 30_000],
  ["3µs", 0.003],
  ["2us500ns", 0.0025],
  ["0s", 0],
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["abc", 'time: invalid duration "abc"'],
  [".s", 'time: invalid duration ".s"'],
  ["1.2.3s", 'time: missing unit in duration "1.2.3s"'],
  ["10", 'time: missing unit in duration "10"'],
  ["1h5", 'time: missing unit in duration "1h5"'],
  ["10x", 'time: unknown unit "x" in duration "10x"'],
  ["1constructor", 'time: unknown unit "constructor" in duration "1constructor"'],
  ["99999999999999h", 'time: invalid duration "99999999999999h"'],
];
for (const [text, expected] of cases) test(`"${text}" is ${expected}`, () => assert.equal(parseGoDuration(text), expected));

test("any text is a number or a sentence, and found out in a moment", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.hmsnuµ-+ x") }), (text) => {
      const duration = parseGoDuration(text);
      return typeof duration === "string" ? duration.startsWith("time: ") : Number.isFinite(duration);
    }),
  );
});

const printed: readonly (readonly [number, string])[] = [
  [0, "0s"],
  [0.0005, "500ns"],
  [1.5, "1.5ms"],
  [1_000, "1s"],
  [60_000, "1m0s"],
  [90_500, "1m30.5s"],
  [3_600_000, "1h0m0s"],
  [-5_400_000, "-1h30m0s"],
];
for (const [ms, expected] of printed) test(`${ms} ms is printed as ${expected}`, () => assert.equal(formatGoDuration(ms), expected));
