/** What expressions evaluate to, and how they fail. The specification's own cases are in ../conformance.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "../compile/create-environment.ts";
import { bindings } from "../standard/bindings.ts";
import { optionals } from "../standard/optional.ts";
import { twoVariables } from "../standard/two-variables.ts";
import * as types from "../types/type.ts";
import { EntriesMap } from "../values/collections.ts";
import { fromJson } from "../values/json.ts";

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

function evaluate(source: string) {
  const compilation = environment.compile(source);
  assert.ok(compilation.ok, compilation.ok ? "" : compilation.message);
  return compilation.compiled.program().evaluate(values).value;
}

const truths = [
  "l.exists(x, 1/(x-2) == 1)",
  "true || dyn('x')",
  "dyn({1: 2})[1u] == 2",
  "dyn({'a': 1}) == {'a': 1u}",
  "dyn([1]) == [1.0]",
  "dyn(1) < 2u",
  "dyn(1.5) > 1",
  "dyn(3.0) in [1, 3]",
  "!(dyn(0.0/0.0) in [1.0])",
  "double('NaN') != double('NaN')",
  "0.0 == -0.0",
  "string(-0.0) == '-0'",
  "string(1e21) == '1e+21'",
  "string(123456789.0) == '1.23456789e+08'",
  "string(duration('1h1.5s')) == '3601.5s'",
  "string(timestamp('2020-01-01T00:00:00.120Z')) == '2020-01-01T00:00:00.12Z'",
  "'é😀'.size() == 2",
  "bytes('é').size() == 2",
  "'\\uFFFF' < '😀'",
  "type(type(i)) == type",
  "type(timestamp(0)) == google.protobuf.Timestamp",
  "timestamp('2020-02-29T23:59:59Z').getDayOfYear() == 59",
  "timestamp('2020-07-01T12:00:00Z').getHours('Europe/Berlin') == 14",
  "timestamp('2020-01-01T00:00:00Z').getDayOfWeek('-01:00') == 2",
  "cel.bind(x, 1/0, true)",
  "[?optional.of(i), ?optional.none()] == [3]",
  "{?'a': m.?z, 'b': 1} == {'b': 1}",
  "d.?b[?0].orValue(0) == 1",
  "optional.of(m).a.value() == 1",
  "[1, 2].map(x, [10].map(y, x * y)) == [[10], [20]]",
  "l.map(x, x % 2 == 1, [x]) == [[1], [3]]",
  '"""a\nb""" == \'a\\nb\'',
  "r'\\n' == '\\\\n'",
  "b'\\xff\\377' == b'ÿ' || true",
  "-9223372036854775808 < 0",
];
for (const source of truths) test(`${source} is true`, () => assert.equal(evaluate(source), true));

const failures = [
  { source: "9223372036854775807 + 1", error: "integer overflow" },
  { source: "-9223372036854775808 - 1", error: "integer overflow" },
  { source: "-(-9223372036854775808)", error: "integer overflow" },
  { source: "0u - 1u", error: "unsigned integer overflow" },
  { source: "1/0", error: "division by zero" },
  { source: "1%0", error: "modulus by zero" },
  { source: "l[5]", error: "index out of bounds: 5" },
  { source: "l[-1]", error: "index out of bounds: -1" },
  { source: "m.zz", error: "no such key: zz" },
  { source: "md.n.x", error: "no such key: x" },
  { source: "d.b.x", error: "unsupported index type 'string' in list" },
  { source: "dyn(i).x", error: "no such key: x" },
  { source: "dyn(l)[1.5]", error: "unsupported index value 1.5 in list" },
  { source: "int('x')", error: "type conversion error from 'string' to 'int'" },
  { source: "int(1e30)", error: "integer overflow" },
  { source: "uint(-1)", error: "unsigned integer overflow" },
  { source: "bool('x')", error: "type conversion error from 'string' to 'bool'" },
  { source: "string(b'\\xff')", error: "invalid UTF-8 in bytes, cannot convert to string" },
  { source: "timestamp(s)", error: "type conversion error from 'string' to 'google.protobuf.Timestamp'" },
  { source: "timestamp('9999-12-31T23:59:59Z') + duration('1s')", error: "timestamp overflow" },
  { source: "duration('9223372036s') + duration('9223372036s')", error: "integer overflow" },
  { source: "timestamp('2020-01-01T00:00:00Z').getHours('Foo/Bar')", error: "unknown time zone Foo/Bar" },
  { source: "s.matches(s + '(')", error: "error parsing regexp: missing closing ): `hello(`" },
  { source: "dyn(1) + 'x'", error: "no such overload" },
  { source: "dyn('x') ? 1 : 2", error: "no such overload" },
  { source: "0.0/0.0 < 1.0", error: "NaN values cannot be ordered" },
  { source: "l.all(x, 1/0 == 1)", error: "division by zero" },
  { source: "dyn(i).all(x, true)", error: "got 'types.Int', expected iterable type" },
  { source: "optional.none().value()", error: "optional.none() dereference" },
  { source: "dyn(l) < 1", error: "no such overload: _<_" },
  { source: "uint(md.n)", error: "no such overload: uint(null_type)" },
  { source: "size(dyn(1))", error: "no such overload: size" },
  { source: "dyn(s).getHours()", error: "no such overload: getHours(string)" },
  { source: "[1,2].transformMapEntry(i, v, {'a': v})", error: "insert failed: key a already exists" },
  { source: "1/0 == 1 || 1%0 == 1", error: "division by zero" },
];
for (const { source, error } of failures)
  test(`${source} fails`, () => assert.throws(() => evaluate(source), { name: "CelError", message: error }));

test("a variable without a value is an error only where it is read", () => {
  const compilation = environment.compile("true || i > 1");
  assert.ok(compilation.ok);
  assert.equal(compilation.compiled.program().evaluate(new Map()).value, true);
  const read = environment.compile("i > 1");
  assert.ok(read.ok);
  assert.throws(() => read.compiled.program().evaluate(new Map()), { message: "no such attribute(s): i" });
});

test("a program can be evaluated again and again, and its lists are not the next one's", () => {
  const compilation = environment.compile("l.map(x, 1) + [2]");
  assert.ok(compilation.ok);
  const program = compilation.compiled.program();
  for (let i = 0; i < 3; i++) {
    const { value } = program.evaluate(values);
    assert.deepEqual([...(value as Iterable<unknown>)], [1n, 1n, 1n, 2n]);
  }
});

test("values that are nested too deeply to be compared are an error", () => {
  const nested = () => {
    let json: unknown = 1;
    for (let i = 0; i < 20_000; i++) json = [json];
    return fromJson(json);
  };
  const compilation = environment.compile("d == md.n");
  assert.ok(compilation.ok);
  const program = compilation.compiled.program();
  const bound = new Map([
    ["d", nested()],
    ["md", EntriesMap.of([["n", nested()]])],
  ]);
  assert.throws(() => program.evaluate(bound), { name: "CelError", message: "values are nested too deeply to be compared" });
});
