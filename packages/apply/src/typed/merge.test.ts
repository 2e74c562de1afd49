import assert from "node:assert/strict";
import { test } from "node:test";
import { specType } from "../field-manager/apply-fixture.test.ts";
import { mergeSchemaOf } from "../schema/merge-schema.ts";
import { findShapeError } from "./check-typed.ts";
import { mergeNode } from "./merge.ts";

const schema = mergeSchemaOf(specType);
const items = (names: string) => [...names].map((name) => ({ name }));
const order = (live: string, applied: string) =>
  (mergeNode(schema, { containers: items(live) }, { containers: items(applied) }) as { containers: { name: string }[] }).containers
    .map((x) => x.name)
    .join("");

// Each result is what structured-merge-diff makes of the same lists.
for (const [live, applied, result] of [
  ["abc", "b", "abc"],
  ["abc", "cb", "acb"],
  ["abc", "d", "abcd"],
  ["abc", "db", "adbc"],
  ["abc", "bd", "abcd"],
  ["ab", "ba", "ba"],
  ["abcd", "dxa", "bcdxa"],
  ["", "ab", "ab"],
  ["aba", "b", "aba"],
] as const)
  test(`${applied} applied to ${live} gives ${result}`, () => assert.equal(order(live, applied), result));

const merges = [
  { name: "atomic lists are replaced", live: { args: ["a", "b"] }, applied: { args: ["c"] }, result: { args: ["c"] } },
  {
    name: "atomic structs are replaced",
    live: { selector: { matchLabels: { a: "1" } } },
    applied: { selector: {} },
    result: { selector: {} },
  },
  {
    name: "null takes a scalar's place",
    live: { replicas: 1, paused: true },
    applied: { replicas: null },
    result: { replicas: null, paused: true },
  },
  {
    name: "null leaves the items of a list",
    live: { containers: items("a") },
    applied: { containers: null },
    result: { containers: items("a") },
  },
  { name: "null leaves the keys of any object", live: { anything: { a: 1 } }, applied: { anything: null }, result: { anything: { a: 1 } } },
  {
    name: "objects of any JSON merge",
    live: { anything: { a: 1, b: { c: 1 } } },
    applied: { anything: { b: { d: 2 } } },
    result: { anything: { a: 1, b: { c: 1, d: 2 } } },
  },
  { name: "another form replaces", live: { anything: { a: 1 } }, applied: { anything: "x" }, result: { anything: "x" } },
  {
    name: "__proto__ is a key",
    live: { anything: {} },
    applied: { anything: JSON.parse('{"__proto__":1}') },
    result: { anything: JSON.parse('{"__proto__":1}') },
  },
];
for (const { name, live, applied, result } of merges) test(name, () => assert.deepEqual(mergeNode(schema, live, applied), result));

test("what does not change is the same object", () => {
  const live = { containers: [{ name: "c", image: "i" }, { name: "d" }], anything: { a: [1] } };
  assert.equal(mergeNode(schema, live, structuredClone({ containers: [{ name: "c", image: "i" }], anything: { a: [1] } })), live);
  const merged = mergeNode(schema, live, { containers: [{ name: "d", image: "j" }] }) as typeof live;
  assert.equal(merged.containers[0], live.containers[0]);
  assert.equal(merged.anything, live.anything);
});

const wrong = [
  { value: { bogus: 1 }, error: ".bogus: field not declared in schema" },
  { value: { replicas: "1" }, error: ".replicas: expected numeric (int or float), got string" },
  { value: { paused: "x" }, error: ".paused: expected boolean, got &{x}" },
  { value: { args: ["a", 1] }, error: ".args[1]: expected string, got &value.valueUnstructured{Value:1}" },
  { value: { args: "a" }, error: ".args: expected list, got &{a}" },
  { value: { selector: [1] }, error: ".selector: expected map, got &{[1]}" },
  { value: { containers: items("aa") }, error: '.containers: duplicate entries for key [name="a"]' },
  { value: { containers: [null] }, error: ".containers: element 0: associative list with keys may not have a null element" },
  {
    value: { containers: [{ image: "i" }] },
    error:
      '.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  },
  {
    value: { replicas: "1", containers: [{ name: "a", ports: [{ port: "80" }] }] },
    error:
      'errors:\n  .replicas: expected numeric (int or float), got string\n  .containers[name="a"].ports[port="80",protocol="TCP"].port: expected numeric (int or float), got string',
  },
];
for (const { value, error } of wrong) test(error, () => assert.equal(findShapeError(schema, value, { duplicates: "refused" }), error));

test("duplicates that are there already are tolerated", () =>
  assert.equal(findShapeError(schema, { containers: items("aa") }, { duplicates: "allowed" }), undefined));
