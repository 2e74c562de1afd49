import assert from "node:assert/strict";
import { test } from "node:test";
import { specType } from "../field-manager/apply-fixture.test.ts";
import { fieldsV1Of } from "../field-path/fields-v1.ts";
import { mergeSchemaOf } from "../schema/merge-schema.ts";
import { compareValuesOf } from "./compare.ts";
import { fieldsOf } from "./fields-of.ts";

const schema = mergeSchemaOf(specType);
const c = 'k:{"name":"c"}';
const d = 'k:{"name":"d"}';

const sets = [
  { name: "structs are not members, their fields are", value: { replicas: 1 }, fields: { "f:replicas": {} } },
  {
    name: "what is empty or null is a member",
    value: { selector: {}, args: [], paused: null },
    fields: { "f:args": {}, "f:paused": {}, "f:selector": {} },
  },
  { name: "an empty list of items has no fields", value: { containers: [] }, fields: {} },
  { name: "a list that is null is a member", value: { containers: null }, fields: { "f:containers": {} } },
  {
    name: "items are members, with their fields",
    value: { containers: [{ name: "c" }] },
    fields: { "f:containers": { [c]: { ".": {}, "f:name": {} } } },
  },
  {
    name: "a key that is missing counts with its default",
    value: { containers: [{ name: "c", ports: [{ port: 80 }] }] },
    fields: {
      "f:containers": { [c]: { ".": {}, "f:name": {}, "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } } },
    },
  },
  {
    name: "of duplicates only the item is a member",
    value: { containers: [{ name: "c" }, { name: "c" }] },
    fields: { "f:containers": { [c]: {} } },
  },
  {
    name: "what is atomic is one field",
    value: { selector: { matchLabels: { a: "1" } }, args: ["x"] },
    fields: { "f:args": {}, "f:selector": {} },
  },
  {
    name: "objects of any JSON go by their keys, lists whole",
    value: { anything: { a: { b: 1 }, l: [{ x: 1 }] } },
    fields: { "f:anything": { "f:a": { ".": {}, "f:b": {} }, "f:l": {} } },
  },
  { name: "raw extensions are whole", value: { raw: { a: { b: 1 } } }, fields: { "f:raw": {} } },
];
for (const { name, value, fields } of sets) test(name, () => assert.deepEqual(fieldsV1Of(fieldsOf(schema, value)), fields));

const nothing = { added: {}, modified: {}, removed: {} };
const comparisons = [
  { name: "equal values do not differ", from: { replicas: 1, args: ["a"] }, to: { args: ["a"], replicas: 1 }, found: {} },
  { name: "a scalar is modified", from: { replicas: 1 }, to: { replicas: 2 }, found: { modified: { "f:replicas": {} } } },
  { name: "null is a value", from: { replicas: null }, to: { replicas: 2 }, found: { modified: { "f:replicas": {} } } },
  {
    name: "what comes is added with all it has, what goes is removed likewise",
    from: { containers: [{ name: "c", image: "i" }] },
    to: { containers: [{ name: "d" }] },
    found: {
      added: { "f:containers": { [d]: { ".": {}, "f:name": {} } } },
      removed: { "f:containers": { [c]: { ".": {}, "f:image": {}, "f:name": {} } } },
    },
  },
  {
    name: "a new parent is added too",
    from: {},
    to: { containers: [{ name: "c" }] },
    found: { added: { "f:containers": { ".": {}, [c]: { ".": {}, "f:name": {} } } } },
  },
  {
    name: "the order of items is no difference",
    from: { containers: [{ name: "c" }, { name: "d" }] },
    to: { containers: [{ name: "d" }, { name: "c" }] },
    found: {},
  },
  { name: "the order of atomic items is", from: { args: ["a", "b"] }, to: { args: ["b", "a"] }, found: { modified: { "f:args": {} } } },
  {
    name: "an empty value becoming null is modified",
    from: { anything: {} },
    to: { anything: null },
    found: { modified: { "f:anything": {} } },
  },
  {
    name: "an object that becomes a list loses its keys and is modified",
    from: { anything: { a: 1 } },
    to: { anything: [1] },
    found: { modified: { "f:anything": {} }, removed: { "f:anything": { "f:a": {} } } },
  },
  {
    name: "new duplicates replace the item",
    from: { containers: [{ name: "c" }] },
    to: { containers: [{ name: "c" }, { name: "c" }] },
    found: { added: { "f:containers": { [c]: {} } }, removed: { "f:containers": { [c]: { ".": {}, "f:name": {} } } } },
  },
  {
    name: "duplicates that come are added as one item",
    from: { containers: [{ name: "d" }] },
    to: { containers: [{ name: "d" }, { name: "c" }, { name: "c", image: "i" }] },
    found: { added: { "f:containers": { [c]: {} } } },
  },
  {
    name: "duplicates that go are removed as one item",
    from: { containers: [{ name: "c" }, { name: "c", image: "i" }] },
    to: {},
    found: { removed: { "f:containers": { ".": {}, [c]: {} } } },
  },
  {
    name: "an item that is no duplicate any more replaces them",
    from: { containers: [{ name: "c" }, { name: "c", image: "i" }] },
    to: { containers: [{ name: "c" }] },
    found: { added: { "f:containers": { [c]: { ".": {}, "f:name": {} } } }, removed: { "f:containers": { [c]: {} } } },
  },
  {
    name: "duplicates that change are modified",
    from: { containers: [{ name: "c" }, { name: "c", image: "a" }] },
    to: { containers: [{ name: "c" }, { name: "c", image: "b" }] },
    found: { modified: { "f:containers": { [c]: {} } } },
  },
  {
    name: "keys that only a prototype has are absent",
    from: { anything: {} },
    to: { anything: { constructor: 1 } },
    found: { added: { "f:anything": { "f:constructor": {} } } },
  },
];
for (const { name, from, to, found } of comparisons) {
  test(name, () => {
    const { added, modified, removed } = compareValuesOf(schema, from, to);
    const shown = { added: fieldsV1Of(added), modified: fieldsV1Of(modified), removed: fieldsV1Of(removed) };
    assert.deepEqual(shown, { ...nothing, ...found });
  });
}
