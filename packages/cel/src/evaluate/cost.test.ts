/** What evaluations cost: the numbers are those of cel-go 0.26 with Kubernetes' options. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { bindings } from "../standard/bindings.ts";
import { optionals } from "../standard/optional.ts";
import { twoVariables } from "../standard/two-variables.ts";
import * as types from "../types/type.ts";
import { fromJson } from "../values/json.ts";
import { CelCostError } from "../values/value.ts";

const { intType, listOf, mapOf, stringType, dynType } = types;
const environment = createEnvironment({
  variables: new Map([
    ["i", intType],
    ["s", stringType],
    ["d", dynType],
    ["l", listOf(intType)],
    ["ls", listOf(stringType)],
    ["m", mapOf(stringType, intType)],
    ["md", mapOf(stringType, dynType)],
  ]),
  libraries: [optionals, bindings, twoVariables],
});
const values = new Map(
  Object.entries({
    i: 3,
    s: "hello",
    d: { a: 1, b: [1, "x"] },
    l: [1, 2, 3],
    ls: ["a", "b"],
    m: { a: 1, b: 2 },
    md: { a: 1, n: null, s: "str" },
  }).map(([name, json]) => [name, fromJson(json)]),
);

function program(source: string) {
  const compilation = environment.compile(source);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  return compilation.compiled.program();
}

const cases = [
  { source: "i", cost: 1 },
  { source: "i == 3", cost: 2 },
  { source: "m.a", cost: 2 },
  { source: "d.b[0]", cost: 3 },
  { source: "m[ls[0]]", cost: 3 },
  { source: "l[i-1]", cost: 4 },
  { source: "l[l[0]]", cost: 3 },
  { source: "l[i == 3 ? 0 : 1]", cost: 4 },
  { source: "has(md.a)", cost: 1 },
  { source: "has(d.a.b)", cost: 2 },
  { source: "has({'a': i}.a)", cost: 32 },
  { source: "true ? i : 4", cost: 0 },
  { source: "i == 3 ? m.a : m.b", cost: 3 },
  { source: "(i == 3 ? md : d).a", cost: 3 },
  { source: "true ? (i + 1) : 2", cost: 2 },
  { source: "{'a': i}.a", cost: 33 },
  { source: "l.map(x, x)[0]", cost: 43 },
  { source: "[1,2,3]", cost: 0 },
  { source: "[1,2,i]", cost: 11 },
  { source: "[[1,2],[3,i]]", cost: 21 },
  { source: "1 in [1,2,3]", cost: 0 },
  { source: "i in [1,2,i]", cost: 15 },
  { source: "i in []", cost: 0 },
  { source: "i in l", cost: 5 },
  { source: "[1] in [[1],[2]]", cost: 2 },
  { source: "'a' in m", cost: 2 },
  { source: "l.all(x, x > 0)", cost: 17 },
  { source: "l.all(x, 1/0 == 1 || true)", cost: 17 },
  { source: "l.exists(x, x == 2)", cost: 17 },
  { source: "l.exists_one(x, x == 2)", cost: 11 },
  { source: "l.map(x, x * 2)", cost: 44 },
  { source: "l.map(x, x > 1, x * 2)", cost: 36 },
  { source: "l.filter(x, x > 1)", cost: 34 },
  { source: "[].all(x, true)", cost: 1 },
  { source: "l.all(i, v, v > i)", cost: 20 },
  { source: "l.transformList(i, v, v * i)", cost: 47 },
  { source: "m.transformMap(k, v, v + 1)", cost: 12 },
  { source: "m.transformMapEntry(k, v, {k + 'x': v})", cost: 72 },
  { source: "timestamp('2020-01-01T00:00:00Z').getFullYear()", cost: 1 },
  { source: "s.startsWith('hellohellohellohellohello')", cost: 2 },
  { source: "s.matches('^h.*o$')", cost: 3 },
  { source: "s.contains('abcabcabcabcabcabc')", cost: 3 },
  { source: "s + s", cost: 3 },
  { source: "[1,2,3,4,5,6,7,8,9,10,11] == [1,2,3,4,5,6,7,8,9,10,11]", cost: 2 },
  { source: "m.?a", cost: 2 },
  { source: "m.?zz.orValue(3)", cost: 1 },
  { source: "m.?a.hasValue()", cost: 3 },
  { source: "optional.of(m).zz", cost: 3 },
  { source: "optional.of(i).optMap(x, x + 1).value()", cost: 10 },
  { source: "cel.bind(x, i, x + x)", cost: 4 },
  { source: "dyn(i) + 1", cost: 3 },
  { source: "string(i) + s", cost: 4 },
];
for (const { source, cost } of cases) test(`${source} costs ${cost}`, () => assert.equal(program(source).evaluate(values).cost, cost));

test("an evaluation ends where it costs more than it may", () => {
  assert.equal(program("l.all(x, x > 0)").evaluate(values, { costLimit: 17 }).value, true);
  assert.throws(() => program("l.all(x, x > 0)").evaluate(values, { costLimit: 16 }), CelCostError);
  assert.throws(() => program("l.all(x, x > 0) || true").evaluate(values, { costLimit: 5 }), {
    message: "operation cancelled: actual cost limit exceeded",
  });
});
