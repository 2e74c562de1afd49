import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyValue, parseField, valueAt, withValue } from "./object-field.ts";

const paths = [
  { text: ".spec.replicas", expect: ["spec", "replicas"] },
  { text: '.metadata.labels["app.kubernetes.io/name"]', expect: ["metadata", "labels", "app.kubernetes.io/name"] },
  { text: '["data"].a-b', expect: ["data", "a-b"] },
  { text: "", expect: undefined },
  { text: "spec", expect: undefined },
  { text: ".spec..replicas", expect: undefined },
  { text: ".spec.containers[0]", expect: undefined },
  { text: '.spec["a"', expect: undefined },
  { text: `.a${".b".repeat(16)}`, expect: undefined },
  { text: `["${"a".repeat(254)}"]`, expect: undefined },
];
for (const { text, expect } of paths)
  test(`${JSON.stringify(text.slice(0, 60))} is ${expect === undefined ? "no path" : JSON.stringify(expect)}`, () => {
    assert.deepEqual(parseField(text), expect);
  });

test("a value is set, read and alone, and the object that it is set in stays as it was", () => {
  const object = { metadata: { name: "a" }, spec: { replicas: 1, other: true } };
  const changed = withValue(object, ["spec", "replicas"], 5);
  assert.deepEqual(changed, { metadata: { name: "a" }, spec: { replicas: 5, other: true } });
  assert.equal(object.spec.replicas, 1);
  assert.equal(valueAt(changed, ["spec", "replicas"]), 5);
  assert.equal(valueAt(changed, ["spec", "replicas", "below"]), undefined);
  assert.deepEqual(onlyValue(["data", "a"], "x"), { data: { a: "x" } });
});

test("what prototypes have is neither read nor changed", () => {
  const path = parseField(".__proto__.polluted");
  assert.ok(path !== undefined);
  const changed = withValue({}, path, true);
  assert.ok(Object.hasOwn(changed, "__proto__"));
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.equal(valueAt({}, ["constructor", "name"]), undefined);
  assert.equal(valueAt({}, ["__proto__", "toString"]), undefined);
});
