import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { excluding, including } from "./field-filter.ts";
import { difference, differenceWithin, type FieldSet, hasPath, intersection, isEmptySet, pathsOf, sameFields, union } from "./field-set.ts";
import { fieldsV1Of, parseFieldsV1 } from "./fields-v1.ts";
import { formatPath } from "./format-path.ts";

const leaf = {};

const printed = [
  { name: "fields come before keys, values and indexes", from: { "i:0": leaf, "v:1": leaf, 'k:{"a":1}': leaf, "f:z": leaf } },
  { name: "fields are in the order of their bytes", from: { "f:a": leaf, "f:B": leaf, "f:\u{10000}": leaf, "f:\uffee": leaf } },
  { name: "keys are in the order of numbers, then of strings", from: { 'k:{"p":120}': leaf, 'k:{"p":80}': leaf, 'k:{"p":"1"}': leaf } },
  { name: "a member with children says so first", from: { "f:a": { "f:b": leaf, ".": leaf } } },
  { name: "unknown kinds of elements are dropped", from: { "z:later": leaf, "f:a": leaf } },
  { name: "keys have one spelling", from: { 'k:{ "b" : 8e1, "a":"<" }': leaf } },
  { name: "what only says that it is there is a leaf", from: { "f:a": { ".": leaf } } },
];
const expected = [
  '{"f:z":{},"k:{\\"a\\":1}":{},"v:1":{},"i:0":{}}',
  '{"f:B":{},"f:a":{},"f:\uffee":{},"f:\u{10000}":{}}',
  '{"k:{\\"p\\":80}":{},"k:{\\"p\\":120}":{},"k:{\\"p\\":\\"1\\"}":{}}',
  '{"f:a":{".":{},"f:b":{}}}',
  '{"f:a":{}}',
  '{"k:{\\"a\\":\\"\\\\u003c\\",\\"b\\":80}":{}}',
  '{"f:a":{}}',
];
for (const [i, { name, from }] of printed.entries())
  test(`printing: ${name}`, () => assert.equal(JSON.stringify(fieldsV1Of(parseFieldsV1(from))), expected[i]));

for (const [from, error] of [
  [{ a: leaf }, /key must be 2 characters long/],
  [{ abc: leaf }, /missing colon: abc/],
  [{ "i:x": leaf }, /strconv.Atoi: parsing "x": invalid syntax/],
  [{ "f:a": 1 }, /expect \{ or n/],
  [{ "k:1": leaf }, /expect \{ or n/],
] as const)
  test(`${JSON.stringify(from)} is refused`, () => assert.throws(() => parseFieldsV1(from), error));

test("paths read as Kubernetes' messages have them", () => {
  const set = parseFieldsV1({
    "f:spec": { "f:c": { 'k:{"n":"x","p":1000000}': { ".": leaf, "f:image": leaf }, 'v:"a\\"b"': leaf, "i:3": leaf } },
  });
  assert.deepEqual([...pathsOf(set)].map(formatPath), [
    '.spec.c[n="x",p=1e+06]',
    '.spec.c[="a\\"b"]',
    ".spec.c[3]",
    '.spec.c[n="x",p=1e+06].image',
  ]);
});

const element = fc.constantFrom("f:a", "f:b", "f:c", 'k:{"n":"x"}', 'k:{"n":"y"}', "v:1", "v:true", "i:2");
const { node } = fc.letrec((tie) => ({
  node: fc.dictionary(fc.oneof(element, fc.constant(".")), fc.oneof({ depthSize: "small" }, fc.constant(leaf), tie("node")), {
    maxKeys: 5,
  }),
}));
const set = node.map((json) => parseFieldsV1(json));
const law = (name: string, holds: (a: FieldSet, b: FieldSet, c: FieldSet) => boolean) =>
  test(name, () => fc.assert(fc.property(set, set, set, holds), { numRuns: 300 }));
const texts = (s: FieldSet) => new Set([...pathsOf(s)].map(formatPath));
const equalTexts = (s: FieldSet, wanted: Iterable<string>) => [...texts(s)].sort().join() === [...wanted].sort().join();

law("printing and parsing a set changes nothing", (a) => sameFields(a, parseFieldsV1(JSON.parse(JSON.stringify(fieldsV1Of(a))))));
law("union is that of the paths", (a, b) => equalTexts(union(a, b), texts(a).union(texts(b))));
law("intersection is that of the paths", (a, b) => equalTexts(intersection(a, b), texts(a).intersection(texts(b))));
law("difference is that of the paths", (a, b) => equalTexts(difference(a, b), texts(a).difference(texts(b))));
law("difference within also leaves out what is below", (a, b) =>
  equalTexts(
    differenceWithin(a, b),
    [...texts(a)].filter(
      (path) => ![...texts(b)].some((other) => path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`)),
    ),
  ),
);
law("union commutes and joins", (a, b, c) => sameFields(union(union(a, b), c), union(c, union(b, a))));
law("adding what is there gives the same set", (a, b) => union(a, intersection(a, b)) === a);
law("taking away what is not there gives the same set", (a, b) => difference(a, difference(b, a)) === a);
law("a set without itself is empty", (a) => isEmptySet(difference(a, parseFieldsV1(fieldsV1Of(a)))));
law("every path of a set is in it", (a) => [...pathsOf(a)].every((path) => hasPath(a, path)));

test("filters keep or leave out what is below a path", () => {
  const all = parseFieldsV1({
    "f:spec": { "f:c": { 'k:{"n":"x"}': { "f:r": leaf, "f:i": leaf } } },
    "f:status": { ".": leaf, "f:ready": leaf },
  });
  assert.deepEqual(fieldsV1Of(excluding(["status"])(all)), { "f:spec": { "f:c": { 'k:{"n":"x"}': { "f:r": {}, "f:i": {} } } } });
  assert.deepEqual(fieldsV1Of(including(["status"])(all)), { "f:status": { ".": {}, "f:ready": {} } });
  assert.deepEqual(fieldsV1Of(including(["spec", "c", "*", "r"])(all)), { "f:spec": { "f:c": { 'k:{"n":"x"}': { "f:r": {} } } } });
});
