import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deepEqual } from "../values/equal.ts";
import type { JsonObject } from "../values/json-object.ts";
import { applyMergePatch } from "./merge-patch.ts";

/** RFC 7386, appendix A, as far as document and patch are objects; then Kubernetes' own ways. */
const cases: readonly [doc: string, patch: string, result: string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ["{}", '{"a":[null,{"b":null,"c":[{"d":null}]}]}', '{"a":[null,{"c":[{}]}]}'],
  ['{"a":[1]}', '{"a":[{"b":null}]}', '{"a":[{}]}'],
  ['{"a":{"b":1}}', '{"a":[{"b":null}]}', '{"a":[{"b":null}]}'],
  ["{}", '{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1}}'],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}', '{"__proto__":{"a":1,"b":2}}'],
  ['{"a":1}', '{"__proto__":null}', '{"a":1}'],
];
for (const [doc, patch, result] of cases)
  test(`${doc} with ${patch}`, () => {
    const patched = applyMergePatch(JSON.parse(doc), JSON.parse(patch));
    assert.ok(deepEqual(patched, JSON.parse(result)), JSON.stringify(patched));
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

const refused: readonly [patch: string, message: string][] = [
  ["null", "Invalid JSON Patch"],
  ["[1]", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
  ['"x"', "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"],
  ["1", "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"],
];
for (const [patch, message] of refused)
  test(`refuses ${patch}`, () => assert.throws(() => applyMergePatch({}, JSON.parse(patch)), { code: 400, message }));

test("nesting that exhausts the stack is the client's error", () => {
  const nested = Array.from({ length: 100_000 }).reduce<unknown>((inner) => ({ a: inner }), 1);
  assert.throws(() => applyMergePatch({}, nested), { code: 400, message: "exceeded max depth" });
});

const object = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__"),
  fc.jsonValue({ maxDepth: 3 }).map((v) => v as unknown),
) as fc.Arbitrary<JsonObject>;

test("laws", () =>
  fc.assert(
    fc.property(object, object, (doc, patch) => {
      const before = JSON.stringify([doc, patch]);
      const once = applyMergePatch(doc, patch);
      assert.ok(deepEqual(applyMergePatch(once, patch), once) || hasNullInList(patch), "twice is once");
      assert.ok(deepEqual(applyMergePatch(doc, {}), doc), "nothing changes nothing");
      for (const key of Object.keys(patch)) assert.equal(Object.hasOwn(once, key), patch[key] !== null, "null deletes, all else is set");
      for (const key of Object.keys(doc)) if (!Object.hasOwn(patch, key)) assert.equal(once[key], doc[key], "untouched parts are shared");
      assert.equal(JSON.stringify([doc, patch]), before, "arguments stay as they are");
    }),
  ));

// A list that takes an object's place keeps nulls the first time and loses them the second.
const hasNullInList = (value: unknown): boolean => JSON.stringify(value).includes("null");
