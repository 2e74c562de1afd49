import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFieldsV1 } from "../field-path/fields-v1.ts";
import { FieldSets } from "./field-sets.ts";

const json = (name: string) => ({ "f:data": { ".": {}, [`f:${name}`]: {} }, "f:metadata": { "f:labels": { "f:app": {} } } });

test("the same set is found again", () => {
  const sets = new FieldSets();
  const first = sets.parse(json("a"));
  assert.deepEqual(first, parseFieldsV1(json("a")));
  assert.equal(sets.parse(json("a")), first);
  assert.deepEqual(sets.parse(json("b")), parseFieldsV1(json("b")));
});

test("only some are kept, and none that is long", () => {
  const sets = new FieldSets();
  const first = sets.parse(json("a"));
  for (let i = 0; i < 256; i++) sets.parse(json(String(i)));
  assert.notEqual(sets.parse(json("a")), first);
  const long = sets.parse(json("n".repeat(10_000)));
  assert.notEqual(sets.parse(json("n".repeat(10_000))), long);
});

test("what is no set is an error each time", () => {
  const sets = new FieldSets();
  for (let i = 0; i < 2; i++) assert.throws(() => sets.parse({ wrong: {} }), /missing colon/);
});
