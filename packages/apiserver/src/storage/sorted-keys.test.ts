import assert from "node:assert/strict";
import { test } from "node:test";
import { withSortedKeys } from "./sorted-keys.ts";

const sorted = { apiVersion: "v1", kind: "K", metadata: { name: "a", uid: "1" }, spec: { a: [{ b: 1, c: null }], z: 1 } };

test("what is in order is left alone", () => assert.equal(withSortedKeys(sorted), sorted));

test("keys come in order at every depth, and items stay where they are", () => {
  const given = { spec: { z: 1, a: [{ c: null, b: 1 }] }, metadata: { uid: "1", name: "a" }, kind: "K", apiVersion: "v1" };
  const before = JSON.stringify(given);
  assert.equal(JSON.stringify(withSortedKeys(given)), JSON.stringify(sorted));
  assert.equal(JSON.stringify(given), before);
  assert.equal(JSON.stringify(withSortedKeys([{ b: 1, a: 2 }, 3, 1])), '[{"a":2,"b":1},3,1]');
});

test("__proto__ is a key like any other", () => {
  const given = JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}');
  assert.equal(JSON.stringify(withSortedKeys(given)), '{"__proto__":{"c":2,"d":1},"b":1}');
});

test("the depth of what is out of order does not multiply the work", () => {
  let value: object = { b: 1, a: 2 };
  for (let depth = 0; depth < 200; depth++) value = { b: value, a: 0 };
  assert.ok(JSON.stringify(withSortedKeys(value)).startsWith('{"a":0,"b":{"a":0,"b":{'));
});
