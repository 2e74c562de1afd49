/** The objects that mutating admission policies make. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { optionals } from "../standard/optional.ts";
import { dynType } from "../types/type.ts";
import { fromJson, toJson } from "../values/json.ts";
import type { CelValue } from "../values/value.ts";
import { applyConfigurationTypes, typeNameProblems } from "./apply-configuration.ts";

const environment = createEnvironment({
  variables: new Map([["object", dynType]]),
  libraries: [optionals],
  types: applyConfigurationTypes,
});

function evaluated(source: string): CelValue {
  const compilation = environment.compile(source);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  const object = fromJson({ spec: { replicas: 3 }, labels: JSON.parse('{"__proto__":"x"}') });
  return compilation.compiled.program().evaluate(new Map([["object", object]])).value;
}

const made = [
  { source: "Object{spec: Object.spec{replicas: object.spec.replicas + 1}}", json: '{"spec":{"replicas":4}}' },
  { source: "Object{spec: Object.spec{items: [Object.spec.items{a: 'b'}]}}", json: '{"spec":{"items":[{"a":"b"}]}}' },
  { source: "Object{?x: object.?missing, y: {'k': Object.y{z: null}}}", json: '{"y":{"k":{"z":null}}}' },
  { source: "Object{labels: object.labels}", json: '{"labels":{"__proto__":"x"}}' },
  { source: "Object{__proto__: Object.__proto__{polluted: true}}", json: '{"__proto__":{"polluted":true}}' },
];
for (const { source, json } of made)
  test(`${source} is ${json}`, () => {
    const value = evaluated(source);
    assert.equal(JSON.stringify(toJson(value)), json);
    assert.deepEqual(typeNameProblems(value), []);
    assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"), undefined);
  });

test("objects are equal when their types and fields are", () => {
  assert.equal(evaluated("Object{a: 1} == Object{a: 1} && Object{a: 1} != Object{a: 2} && dyn(Object.x{}) != dyn(Object{})"), true);
});

test("the type of a part is where it stands", () => {
  const problem = 'unexpected type name "Object.wrong", expected "Object.spec.items", which matches field name path from root Object type';
  assert.deepEqual(typeNameProblems(evaluated("Object{spec: Object.spec{items: [Object.wrong{}]}}")), [problem]);
});
