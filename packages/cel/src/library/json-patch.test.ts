import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { stringType } from "../types/type.ts";
import { JsonPatchValue, jsonPatch, jsonPatchTypes } from "./json-patch.ts";
import { kubernetesLibraries } from "./kubernetes.ts";

const environment = createEnvironment({
  variables: new Map([["key", stringType]]),
  libraries: [...kubernetesLibraries, jsonPatch],
  types: jsonPatchTypes,
});

function evaluate(expr: string) {
  const compilation = environment.compile(expr);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  return compilation.compiled.program().evaluate(new Map([["key", "k8s.io/my~label"]])).value;
}

const cases = [
  { expr: "'/metadata/labels/' + jsonpatch.escapeKey(key)", value: "/metadata/labels/k8s.io~1my~0label" },
  { expr: "JSONPatch{op: 'remove', path: '/a'}.path", value: "/a" },
  { expr: "JSONPatch{op: 'remove', path: '/a'}.from", value: "" },
  { expr: "has(JSONPatch{op: 'remove', path: '/a'}.value)", value: false },
  { expr: "has(JSONPatch{op: 'add', path: '/a', value: null}.value)", value: true },
  { expr: "JSONPatch{op: 'add', path: '/a', value: [1]} == JSONPatch{op: 'add', path: '/a', value: [1.0]}", value: true },
  { expr: "JSONPatch{op: 'add', path: '/a', value: [1]} == JSONPatch{op: 'add', path: '/a'}", value: false },
  { expr: "[JSONPatch{op: 'test', path: '/a', value: key}].size()", value: 1n },
];

for (const { expr, value } of cases) test(`makes patches: ${expr}`, () => assert.equal(evaluate(expr), value));

test("gives the operation with its value", () => {
  const patch = evaluate("JSONPatch{op: 'copy', from: '/a', path: '/b'}");
  assert.ok(patch instanceof JsonPatchValue);
  const { op, from, path, value } = patch;
  assert.deepEqual({ op, from, path, value }, { op: "copy", from: "/a", path: "/b", value: undefined });
});

test("has no other fields", () => {
  const compilation = environment.compile("JSONPatch{op: 'add', other: 1}");
  assert.ok(!compilation.ok);
  assert.match(compilation.message, /undefined field 'other'/);
});
