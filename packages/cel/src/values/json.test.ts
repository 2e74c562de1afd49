import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesType, doubleType, durationType, intType, listOf, mapOf, stringType, timestampType } from "../types/type.ts";
import { equalValues } from "./equality.ts";
import { fromJson, toJson } from "./json.ts";
import { CelDuration, CelTimestamp } from "./value.ts";

test("JSON comes back as it was", () =>
  fc.assert(fc.property(fc.jsonValue(), (json) => assert.deepEqual(toJson(fromJson(json)), JSON.parse(JSON.stringify(json))))));

test("numbers are what the type says", () => {
  assert.equal(fromJson(1, intType), 1n);
  assert.equal(fromJson(2n ** 60n, intType), 2n ** 60n);
  assert.equal(fromJson(1, doubleType), 1);
  assert.equal(fromJson(1), 1n);
  assert.equal(fromJson(1.5), 1.5);
  assert.throws(() => fromJson(1.5, intType), { name: "CelError" });
});

test("texts are what the type says", () => {
  assert.deepEqual(fromJson("1970-01-01T00:00:01Z", timestampType), new CelTimestamp(1_000_000_000n));
  assert.deepEqual(fromJson("1s", durationType), new CelDuration(1_000_000_000n));
  assert.deepEqual(fromJson("AQI=", bytesType), new Uint8Array([1, 2]));
});

test("lists and maps of the same JSON are equal, whatever their types", () => {
  const json = { a: [1, 2], b: [] };
  assert.ok(equalValues(fromJson(json), fromJson(json, mapOf(stringType, listOf(doubleType)))));
});
