import assert from "node:assert/strict";
import { test } from "node:test";
import { applyStrategicMergePatch } from "./strategic.ts";
import { frozen, podType } from "./strategic-fixture.test.ts";

/** Messages of k8s.io/apimachinery 0.36.3; a bare 500 is how the API server passes most of them on. */
const refused: readonly [name: string, doc: string, patch: string, code: number, message: string][] = [
  [
    "unknown $patch",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"$patch":"bogus"}}',
    500,
    "unknown patch type: bogus in map: map[$patch:bogus]",
  ],
  ["$patch that is no text", '{"spec":{}}', '{"spec":{"$patch":5}}', 500, "unknown patch type: %!s(int64=5) in map: map[$patch:5]"],
  [
    "unknown $patch in an item",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":[{"name":"a","$patch":"bogus"}]}}',
    500,
    "unknown patch type: bogus in map: map[$patch:bogus name:a]",
  ],
  [
    "$patch: merge in an item",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":[{"name":"a","$patch":"merge"}]}}',
    500,
    "merging lists cannot yet be specified in the patch",
  ],
  [
    "an item without its key",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":[{"image":"x"}]}}',
    500,
    "map: map[image:x] does not contain declared merge key: name",
  ],
  [
    "a deletion without its key",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":[{"image":"x","$patch":"delete"}]}}',
    500,
    "map: map[$patch:delete image:x] does not contain declared merge key: name",
  ],
  [
    "a stored item without its key",
    '{"spec":{"containers":[{"image":"x"}]}}',
    '{"spec":{"containers":[{"name":"a"}]}}',
    500,
    "map: map[image:x] does not contain declared merge key: name",
  ],
  [
    "items of two types",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":["a"]}}',
    500,
    "list element types are not identical: [[map[name:a]] [a]]",
  ],
  [
    "lists of lists",
    '{"metadata":{"finalizers":["a"]}}',
    '{"metadata":{"finalizers":[["b"]]}}',
    500,
    "list element types are not identical: [[a] [[b]]]",
  ],
  [
    "null among items",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":[null]}}',
    500,
    "list element types are not identical: [[map[name:a]] [<nil>]]",
  ],
  [
    "objects in a list of text",
    '{"metadata":{"finalizers":["a"]}}',
    '{"metadata":{"finalizers":[{"b":1.5,"a":[null,true]}]}}',
    500,
    "list element types are not identical: [[a] [map[a:[<nil> true] b:1.5]]]",
  ],
  [
    "deleting objects that have no key",
    '{"spec":{"tolerations":[{"key":"a"}]}}',
    '{"spec":{"$deleteFromPrimitiveList/tolerations":[{"key":"a"}]}}',
    500,
    "cannot merge lists without merge key for struct",
  ],
  [
    "an order that the patch does not follow",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"name":"b"},{"name":"a"}]}}',
    500,
    "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
  ],
  [
    "an order that is no list",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"$setElementOrder/containers":"a"}}',
    500,
    "expected a []interface {}, but received a string",
  ],
  [
    "an order for null",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":null}}',
    500,
    "expected a []interface {}, but received a %!s(<nil>)",
  ],
  [
    "an order for an unknown field",
    '{"spec":{}}',
    '{"spec":{"$setElementOrder/nope":[]}}',
    500,
    'unable to find api field in struct PodSpec for the json field "nope"',
  ],
  [
    "an order in a map",
    '{"metadata":{"labels":{"a":"1"}}}',
    '{"metadata":{"labels":{"$setElementOrder/x":[]}}}',
    500,
    "merging an object in json but data type is not struct, instead is: map",
  ],
  [
    "an order for empty lists",
    '{"spec":{"containers":[]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"a"}]}}',
    500,
    "no elements in any of the given slices",
  ],
  ["an order without a field", '{"spec":{}}', '{"spec":{"$setElementOrder":[]}}', 400, "invalid patch format of setElementOrder list"],
  [
    "a primitive deletion without a field",
    '{"spec":{}}',
    '{"spec":{"$deleteFromPrimitiveList":[]}}',
    400,
    "invalid patch format of primitive list",
  ],
  [
    "$retainKeys that misses a key",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"$retainKeys":["nodeName"],"containers":[{"name":"a"}]}}',
    400,
    "invalid patch format of retainKeys",
  ],
  ["$retainKeys that is no list", '{"spec":{}}', '{"spec":{"$retainKeys":"nodeName"}}', 400, "invalid patch format of retainKeys"],
  ["a patch that is a list", "{}", "[]", 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"],
];
for (const [name, doc, patch, code, message] of refused)
  test(`refuses ${name}`, () =>
    assert.throws(() => applyStrategicMergePatch(frozen(JSON.parse(doc)), frozen(JSON.parse(patch)), podType), { code, message }));

test("refuses lists of lists without a reason", () =>
  assert.throws(() => applyStrategicMergePatch({ metadata: { finalizers: [["a"]] } }, { metadata: { finalizers: [["b"]] } }, podType), {
    code: 422,
    message: "the server rejected our request due to an error in our request",
  }));
