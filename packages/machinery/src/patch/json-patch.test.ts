import assert from "node:assert/strict";
import { test } from "node:test";
import { deepEqual } from "../values/equal.ts";
import { applyJsonPatch, unknownJsonPatchFields } from "./json-patch.ts";

const json = (text: string): unknown => frozen(JSON.parse(text));

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** As k8s.io/apiserver 0.36.3 applies them; the first rows are the examples of RFC 6902, appendix A. */
const applied: readonly [name: string, doc: string, patch: string, result: string][] = [
  ["adds an object member", '{"foo":"bar"}', '[{"op":"add","path":"/baz","value":"qux"}]', '{"baz":"qux","foo":"bar"}'],
  ["adds an item", '{"foo":["bar","baz"]}', '[{"op":"add","path":"/foo/1","value":"qux"}]', '{"foo":["bar","qux","baz"]}'],
  ["removes a member", '{"baz":"qux","foo":"bar"}', '[{"op":"remove","path":"/baz"}]', '{"foo":"bar"}'],
  ["removes an item", '{"foo":["bar","qux","baz"]}', '[{"op":"remove","path":"/foo/1"}]', '{"foo":["bar","baz"]}'],
  ["replaces", '{"baz":"qux","foo":"bar"}', '[{"op":"replace","path":"/baz","value":"boo"}]', '{"baz":"boo","foo":"bar"}'],
  ["moves a value", '{"a":{"b":1,"c":2},"d":{}}', '[{"op":"move","from":"/a/b","path":"/d/e"}]', '{"a":{"c":2},"d":{"e":1}}'],
  ["moves an item", '{"f":["a","b","c","d"]}', '[{"op":"move","from":"/f/1","path":"/f/3"}]', '{"f":["a","c","d","b"]}'],
  [
    "tests",
    '{"a":"q","f":["a",2,"c"]}',
    '[{"op":"test","path":"/a","value":"q"},{"op":"test","path":"/f/1","value":2}]',
    '{"a":"q","f":["a",2,"c"]}',
  ],
  ["adds an object", '{"foo":"bar"}', '[{"op":"add","path":"/child","value":{"g":{}}}]', '{"foo":"bar","child":{"g":{}}}'],
  ["ignores members it does not know", '{"a":1}', '[{"op":"add","path":"/b","value":2,"xyz":1}]', '{"a":1,"b":2}'],
  ["reads ~01 as ~1", '{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":10}]', '{"/":9,"~1":10}'],
  ["adds a list to a list", '{"a":["b"]}', '[{"op":"add","path":"/a/-","value":["c"]}]', '{"a":["b",["c"]]}'],
  ["an empty key is a key", '{"":1}', '[{"op":"replace","path":"/","value":2}]', '{"":2}'],
  ["replaces what is not there", '{"a":1}', '[{"op":"replace","path":"/b","value":2}]', '{"a":1,"b":2}'],
  ["replaces the whole document", '{"a":1}', '[{"op":"replace","path":"","value":{"b":2}}]', '{"b":2}'],
  ["copies from where nothing is", '{"a":1}', '[{"op":"copy","from":"/q","path":"/b"}]', '{"a":1,"b":null}'],
  ["adds null without a value", '{"a":1}', '[{"op":"add","path":"/b"}]', '{"a":1,"b":null}'],
  ["absence passes a test for null", '{"a":1}', '[{"op":"test","path":"/b","value":null}]', '{"a":1}'],
  [
    "counts from the end",
    '{"a":[1,2,3]}',
    '[{"op":"replace","path":"/a/-1","value":9},{"op":"add","path":"/a/-2","value":8}]',
    '{"a":[1,2,8,9]}',
  ],
  [
    "reads 01 and +1 as 1",
    '{"a":[1,2]}',
    '[{"op":"replace","path":"/a/01","value":3},{"op":"add","path":"/a/+1","value":4}]',
    '{"a":[1,4,3]}',
  ],
  ["ignores what precedes the first slash", '{"a":1}', '[{"op":"remove","path":"x/a"}]', "{}"],
  [
    "a copy is its own",
    '{"a":{"x":[1]}}',
    '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x/0","value":0}]',
    '{"a":{"x":[1]},"b":{"x":[0,1]}}',
  ],
  ["null is no operation at all", '{"a":1}', "null", '{"a":1}'],
  ["__proto__ is an ordinary key", '{"__proto__":{"a":1}}', '[{"op":"replace","path":"/__proto__/a","value":2}]', '{"__proto__":{"a":2}}'],
  ["constructor too", "{}", '[{"op":"add","path":"/constructor","value":1}]', '{"constructor":1}'],
  ["__proto__ may be added", "{}", '[{"op":"add","path":"/__proto__","value":{"polluted":1}}]', '{"__proto__":{"polluted":1}}'],
  ["and copied", '{"__proto__":{"a":1}}', '[{"op":"copy","from":"/__proto__","path":"/b"}]', '{"__proto__":{"a":1},"b":{"a":1}}'],
];
for (const [name, doc, patch, result] of applied)
  test(name, () => {
    const patched = applyJsonPatch(json(doc), json(patch));
    assert.ok(deepEqual(patched, JSON.parse(result)), JSON.stringify(patched));
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

const doc = '{"a":1,"l":[1,2],"o":{"x":null}}';
const refused: readonly [name: string, operation: string][] = [
  ["a failed test", '{"op":"test","path":"/a","value":2}'],
  ["a test of text against a number", '{"op":"test","path":"/a","value":"1"}'],
  ["a test in a missing object", '{"op":"test","path":"/q/r","value":null}'],
  ["removing what is not there", '{"op":"remove","path":"/zz"}'],
  ["removing a prototype's key", '{"op":"remove","path":"/constructor"}'],
  ["walking into a prototype", '{"op":"add","path":"/__proto__/polluted","value":1}'],
  ["walking into a constructor", '{"op":"add","path":"/constructor/prototype/polluted","value":1}'],
  ["moving what is not there", '{"op":"move","from":"/zz","path":"/b"}'],
  ["moving an object into itself", '{"op":"move","from":"/o","path":"/o/p"}'],
  ["adding below a number", '{"op":"add","path":"/a/b","value":1}'],
  ["adding below null", '{"op":"add","path":"/o/x/y","value":1}'],
  ["adding below nothing", '{"op":"add","path":"/q/r","value":1}'],
  ["adding the whole document", '{"op":"add","path":"","value":{}}'],
  ["replacing the document by a number", '{"op":"replace","path":"","value":1}'],
  ["an index beyond the end", '{"op":"add","path":"/l/3","value":1}'],
  ["a huge index", '{"op":"add","path":"/l/4294967296","value":1}'],
  ["an index before the start", '{"op":"remove","path":"/l/-3"}'],
  ["a fraction for an index", '{"op":"replace","path":"/l/1.0","value":1}'],
  ["a word for an index", '{"op":"add","path":"/l/length","value":1}'],
  ["the place after the last, to read", '{"op":"copy","from":"/l/-","path":"/b"}'],
  ["a path without a slash", '{"op":"add","path":"a","value":1}'],
  ["no path", '{"op":"add","value":1}'],
  ["no from", '{"op":"move","path":"/b"}'],
  ["no operation", '{"path":"/b"}'],
  ["an unknown operation", '{"op":"increment","path":"/a"}'],
  ["null", "null"],
];
const unprocessable = {
  code: 422,
  status: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "the server rejected our request due to an error in our request",
    reason: "Invalid",
    details: {},
    code: 422,
  },
};
for (const [name, operation] of refused)
  test(`refuses ${name}, and all that came before`, () =>
    assert.throws(() => applyJsonPatch(json(doc), json(`[{"op":"add","path":"/ok","value":1},${operation}]`)), unprocessable));

const malformed: readonly [patch: string, message: string][] = [
  ['{"op":"add"}', "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
  ["true", "json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp"],
  ['["x"]', "json: cannot unmarshal string into Go value of type handlers.jsonPatchOp"],
  ["[[1]]", "json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"],
  ['[{"op":1}]', "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"],
  ['[{"op":"add","path":["a"]}]', "json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string"],
];
for (const [patch, message] of malformed)
  test(`cannot read ${patch}`, () =>
    assert.throws(() => applyJsonPatch({}, json(patch)), { code: 400, message: `error decoding patch: ${message}` }));

test("takes 10000 operations and not one more", () => {
  const adds = (count: number): unknown => Array.from({ length: count }, (_, i) => ({ op: "add", path: "/l/-", value: i }));
  assert.equal((applyJsonPatch({ l: [] }, adds(10_000)) as { l: unknown[] }).l.length, 10_000);
  assert.throws(() => applyJsonPatch({ l: [] }, adds(10_001)), {
    code: 413,
    message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
  });
});

test("copies three megabytes in all", () => {
  const double = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/l", path: `/l/${i}` }));
  assert.throws(() => applyJsonPatch({ l: ["x".repeat(100)] }, double), unprocessable);
});

test("nesting that exhausts the stack is the client's error", () => {
  const copy = [{ op: "copy", from: "/a", path: "/b" }];
  assert.throws(() => applyJsonPatch({ a: nested(100_000) }, copy), { code: 400, message: "exceeded max depth" });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

test("shares what it does not touch", () => {
  const before = frozen({ a: { b: 1 }, c: { d: 2 } });
  const after = applyJsonPatch(before, [{ op: "add", path: "/a/x", value: 1 }]) as typeof before;
  assert.equal(after.c, before.c);
  assert.notEqual(after.a, before.a);
});

test("names fields that mean nothing", () =>
  assert.deepEqual(unknownJsonPatchFields([{ op: "add", path: "/b", foo: 1, bar: 2 }, null, { Op: "x" }]), [
    'json patch unknown field "[0].foo"',
    'json patch unknown field "[0].bar"',
    'json patch unknown field "[2].Op"',
  ]));

const long = { l: new Array<number>(100_000).fill(0) };
const many = (count: number, operation: object): object[] => new Array<object>(count).fill(operation);
const bounded: readonly { readonly name: string; readonly most: number; readonly operation: object }[] = [
  { name: "insertions at the front", most: 995, operation: { op: "add", path: "/l/0", value: 1 } },
  { name: "removals at the front", most: 1_005, operation: { op: "remove", path: "/l/0" } },
  { name: "moves from the front to the end", most: 1_000, operation: { op: "move", from: "/l/0", path: "/l/-" } },
];
for (const { name, most, operation } of bounded)
  test(`no more than a hundred million items are pushed along by ${name}`, () => {
    applyJsonPatch(long, many(most, operation));
    assert.throws(() => applyJsonPatch(long, many(most + 1, operation)), unprocessable);
  });

test("changes at the end of a long list are not bounded", () => {
  applyJsonPatch(long, many(10_000, { op: "add", path: "/l/-", value: 1 }));
  applyJsonPatch(long, many(10_000, { op: "remove", path: "/l/-1" }));
});
