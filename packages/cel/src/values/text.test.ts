import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatGoFloat, parseGoFloat, parseInt64, parseUint64 } from "./number-text.ts";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "./time-text.ts";

const floats = [
  { text: "1e3", value: 1000 },
  { text: "5.", value: 5 },
  { text: ".5", value: 0.5 },
  { text: "1_000.5", value: 1000.5 },
  { text: "0x1p-2", value: 0.25 },
  { text: "inf", value: Infinity },
  { text: "-Infinity", value: -Infinity },
  { text: "1e400", value: undefined },
  { text: " 1", value: undefined },
  { text: "1__0", value: undefined },
  { text: "", value: undefined },
];
for (const { text, value } of floats) test(`${JSON.stringify(text)} is the double ${value}`, () => assert.equal(parseGoFloat(text), value));

test("doubles are read as they are written", () =>
  fc.assert(fc.property(fc.double({ noNaN: true }), (value) => assert.ok(Object.is(parseGoFloat(formatGoFloat(value)), value)))));

test("ints have no spaces, no bases and a range", () => {
  for (const text of ["", " 5", "0x10", "5u", "1_0", "9223372036854775808"]) assert.equal(parseInt64(text), undefined);
  assert.equal(parseInt64("+5"), 5n);
  assert.equal(parseUint64("+5"), undefined);
  assert.equal(parseUint64("18446744073709551615"), 18446744073709551615n);
});

const times = [
  { text: "1970-01-01T00:00:01.5Z", nanos: 1_500_000_000n },
  { text: "1969-12-31T23:59:59.999999999Z", nanos: -1n },
  { text: "1970-01-01T02:00:00+02:00", nanos: 0n },
  { text: "1970-01-01T0:00:00,5Z", nanos: 500_000_000n },
  { text: "1970-01-01t00:00:00z", nanos: undefined },
  { text: "1970-02-30T00:00:00Z", nanos: undefined },
  { text: "1970-01-01T24:00:00Z", nanos: undefined },
  { text: "1970-01-01T00:00:60Z", nanos: undefined },
];
for (const { text, nanos } of times) test(`${text} is ${nanos}`, () => assert.equal(parseTimestamp(text), nanos));

test("times are read as they are written", () =>
  fc.assert(
    fc.property(fc.bigInt({ min: -62_135_596_800_000_000_000n, max: 253_402_300_799_999_999_999n }), (nanos) =>
      assert.equal(parseTimestamp(formatTimestamp(nanos)), nanos),
    ),
  ));

const durations = [
  { text: "1h30m1.5s", nanos: 5_401_500_000_000n },
  { text: "-1.5h", nanos: -5_400_000_000_000n },
  { text: "1ns1us1µs1ms", nanos: 1_002_001n },
  { text: "0", nanos: 0n },
  { text: "", nanos: undefined },
  { text: "1", nanos: undefined },
  { text: "1d", nanos: undefined },
  { text: "9223372037s", nanos: undefined },
];
for (const { text, nanos } of durations) test(`${JSON.stringify(text)} lasts ${nanos}`, () => assert.equal(parseDuration(text), nanos));

test("durations are read as they are written", () =>
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanos) =>
      assert.equal(parseDuration(formatDuration(nanos)), nanos),
    ),
  ));
