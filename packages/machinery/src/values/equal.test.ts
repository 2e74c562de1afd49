import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deepEqual } from "./equal.ts";

const own = (json: string): unknown => JSON.parse(json);

const cases: readonly [name: string, a: unknown, b: unknown, expect: boolean][] = [
  ["key order does not matter", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
  ["list order does", [1, 2], [2, 1], false],
  ["undefined is absence", { a: 1, b: undefined }, { a: 1 }, true],
  ["undefined on one side, another key on the other", { a: undefined, b: 1 }, { c: 1 }, false],
  ["null is a value", { a: null }, {}, false],
  ["a key more on the left", { a: 1, b: 2 }, { a: 1 }, false],
  ["a key more on the right", { a: 1 }, { a: 1, b: 2 }, false],
  ["a list is no object", [], {}, false],
  ["nor is null", null, {}, false],
  ["text is no number", "1", 1, false],
  ["integers equal across representations", 5n, 5, true],
  ["exactly", 9007199254740993n, 9007199254740992, false],
  ["bigints", [9007199254740993n], [9007199254740993n], true],
  ["a fraction is no bigint", 1.5, 1n, false],
  ["true is not one", true, 1n, false],
  ["__proto__ is a key like any other", own('{"__proto__":{}}'), own('{"x":{}}'), false],
  ["on either side", own('{"x":{}}'), own('{"__proto__":{}}'), false],
  ["constructor too", { constructor: {} }, { x: {} }, false],
  ["and equal to itself", own('{"__proto__":{"a":1}}'), own('{"__proto__":{"a":1}}'), true],
];
for (const [name, a, b, expect] of cases) test(name, () => assert.equal(deepEqual(a, b), expect));

test("any depth", () => {
  const nested = (leaf: number): unknown => Array.from({ length: 100_000 }).reduce<unknown>((inner) => ({ a: inner }), leaf);
  assert.ok(deepEqual(nested(1), nested(1)));
  assert.ok(!deepEqual(nested(1), nested(2)));
});

test("equals what its copy is, and only that", () => {
  const value = fc.jsonValue().map((v) => v as unknown);
  fc.assert(
    fc.property(value, value, (a, b) => {
      assert.ok(deepEqual(a, structuredClone(a)));
      assert.equal(deepEqual(a, b), deepEqual(b, a));
      assert.equal(deepEqual(a, b), canonical(a) === canonical(b));
    }),
  );
});

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, v: unknown) =>
    typeof v === "object" && v !== null && !Array.isArray(v)
      ? { entries: Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)) }
      : Object.is(v, -0)
        ? 0
        : v,
  );
