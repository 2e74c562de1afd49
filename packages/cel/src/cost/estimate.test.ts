import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import type { TypeProvider } from "../environment/environment.ts";
import { kubernetesLibraries } from "../library/kubernetes.ts";
import { type CelType, intType, listOf, mapOf, objectType, stringType } from "../types/type.ts";
import { unbounded } from "./bounds.ts";
import { createCostEstimator } from "./estimate.ts";

const fields: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
  Root: { name: stringType, items: listOf(objectType("Item")), labels: mapOf(stringType, stringType), count: intType },
  Item: { tags: listOf(stringType) },
};
const types: TypeProvider = {
  hasType: (name) => Object.hasOwn(fields, name),
  fieldType: (name, field) => fields[name]?.[field],
};
const environment = createEnvironment({ variables: new Map([["self", objectType("Root")]]), libraries: kubernetesLibraries, types });
const estimate = createCostEstimator({ libraries: kubernetesLibraries });

/** What an object of that size has at most. */
const largest: Readonly<Record<string, number>> = {
  "self.name": 100,
  "self.items": 10,
  "self.items.@items.tags": 5,
  "self.items.@items.tags.@items": 20,
  "self.labels": 8,
  "self.labels.@keys": 30,
  "self.labels.@values": 60,
};

function bounds(expr: string, sizes: Readonly<Record<string, number>>) {
  const compilation = environment.compile(expr);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  const asked = new Set<string>();
  const { min, max } = estimate(compilation.compiled, (path) => {
    const name = path.join(".");
    asked.add(name);
    const size = sizes[name];
    return size === undefined ? undefined : { min: 0, max: size };
  });
  return { min, max, asked: [...asked] };
}

const cases = [
  { name: "a literal is free, a name and a selection cost 1 each", expr: "self.count", min: 2, max: 2 },
  { name: "presence costs what its operand costs", expr: "has(self.name)", min: 1, max: 1 },
  { name: "strings are compared up to the length of the shorter", expr: "self.name == self.name + 'x'", min: 6, max: 25 },
  {
    name: "either side of && may be all that is evaluated",
    expr: "self.count > 1 && self.name == 'aaaaaaaaaaaaaaaaaaaaa'",
    min: 3,
    max: 8,
  },
  { name: "of two branches one is taken", expr: "self.count > 1 ? self.name : 'x'", min: 3, max: 5 },
  { name: "a loop costs its body for every item", expr: "self.items.all(i, i.tags.size() > 0)", min: 3, max: 73 },
  { name: "loops within loops multiply", expr: "self.items.all(i, i.tags.all(t, t == 'a'))", min: 3, max: 313 },
  { name: "keys of maps have sizes", expr: "self.labels.all(k, k.startsWith('example.com/'))", min: 3, max: 51 },
  { name: "values of maps have sizes", expr: "self.labels.exists(k, self.labels[k].matches('^a+$'))", min: 3, max: 123 },
  { name: "patterns multiply with the text", expr: "self.name.matches('[a-z]{3}')", min: 4, max: 24 },
  { name: "a concatenation is as long as its parts", expr: "(self.name + self.name).upperAscii()", min: 4, max: 44 },
];

for (const { name, expr, min, max } of cases) {
  test(`${name}: ${expr}`, () => {
    const actual = bounds(expr, largest);
    assert.deepEqual({ min: actual.min, max: actual.max }, { min, max });
  });
}

test("without bounds the most is the largest cost there is, and nested loops stay there", () => {
  const { max } = bounds("self.items.all(i, i.tags.all(t, self.items.all(j, j.tags.exists(u, u == t))))", {});
  assert.equal(max, unbounded);
});

test("sizes are asked for by paths from a variable down", () => {
  const { asked } = bounds("self.items.all(i, i.tags.all(t, t != '')) && self.labels.all(k, self.labels[k] != '')", largest);
  for (const path of Object.keys(largest).filter((path) => path !== "self.name")) assert.ok(asked.includes(path), path);
});
