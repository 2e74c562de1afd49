/** What is wrong with expressions, and where: the sentences are those of cel-go 0.26 with Kubernetes' options. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bindings } from "../standard/bindings.ts";
import { optionals } from "../standard/optional.ts";
import { twoVariables } from "../standard/two-variables.ts";
import * as types from "../types/type.ts";
import { createEnvironment } from "./create-environment.ts";

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

/** What an expression may start with, as messages list it. */
const start = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const cases = [
  { source: "i.x", issues: ["1:2: type 'int' does not support field selection"] },
  { source: "self.foo", issues: ["1:1: undeclared reference to 'self' (in container '')"] },
  {
    source: "a.b.c()",
    issues: ["1:1: undeclared reference to 'a' (in container '')", "1:6: undeclared reference to 'c' (in container '')"],
  },
  { source: "a.b.C{}", issues: ["1:6: undeclared reference to 'a.b.C' (in container '')"] },
  { source: ".x", issues: ["1:2: undeclared reference to '.x' (in container '')"] },
  { source: "foo(s)", issues: ["1:4: undeclared reference to 'foo' (in container '')"] },
  { source: "s.foo()", issues: ["1:6: undeclared reference to 'foo' (in container '')"] },
  { source: "i.size()", issues: ["1:7: found no matching overload for 'size' applied to 'int.()'"] },
  { source: "size(i)", issues: ["1:5: found no matching overload for 'size' applied to '(int)'"] },
  { source: "s.startsWith(i)", issues: ["1:13: found no matching overload for 'startsWith' applied to 'string.(int)'"] },
  { source: "i + 'a'", issues: ["1:3: found no matching overload for '_+_' applied to '(int, string)'"] },
  { source: "l + ['a']", issues: ["1:3: found no matching overload for '_+_' applied to '(list(int), list(string))'"] },
  { source: "i == 1.5", issues: ["1:3: found no matching overload for '_==_' applied to '(int, double)'"] },
  { source: "null == i", issues: ["1:6: found no matching overload for '_==_' applied to '(null, int)'"] },
  { source: "i < 'a'", issues: ["1:3: found no matching overload for '_<_' applied to '(int, string)'"] },
  { source: "'a' in l", issues: ["1:5: found no matching overload for '@in' applied to '(string, list(int))'"] },
  { source: "m[1]", issues: ["1:2: found no matching overload for '_[_]' applied to '(map(string, int), int)'"] },
  { source: "i ? 1 : 'a'", issues: ["1:3: found no matching overload for '_?_:_' applied to '(int, int, string)'"] },
  { source: "1 && 'a'", issues: ["1:1: expected type 'bool' but found 'int'", "1:6: expected type 'bool' but found 'string'"] },
  { source: "l.all(x, x)", issues: ["1:10: expected type 'bool' but found 'int'"] },
  {
    source: "i.all(x, true)",
    issues: ["1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
  },
  { source: "l.all(1, true)", issues: ["1:7: argument must be a simple name"] },
  { source: "l.map(__result__, true)", issues: ["1:7: iteration variable overwrites accumulator variable"] },
  { source: "l.transformList(x, x, 1)", issues: ["1:20: duplicate variable name: x"] },
  { source: "optional.of(1).optMap(1, 2)", issues: ["1:23: optMap() variable name must be a simple identifier"] },
  { source: "has(i)", issues: ["1:5: invalid argument to has() macro"] },
  { source: "[1, 'a']", issues: ["1:5: expected type 'int' but found 'string'"] },
  { source: "[1, dyn('a')]", issues: ["1:8: expected type 'int' but found 'dyn'"] },
  { source: "{'a': 1, 'b': 'x'}", issues: ["1:15: expected type 'int' but found 'string'"] },
  { source: "[?1]", issues: ["1:3: expected type 'optional_type(int)' but found 'int'"] },
  { source: "m{a: 1}", issues: ["1:2: 'map' is not a type", "1:4: unexpected failed resolution of 'm'"] },
  { source: "timestamp('x')", issues: ["1:11: invalid timestamp argument"] },
  { source: "duration('1d')", issues: ["1:10: invalid duration argument"] },
  { source: "s.matches('(')", issues: ["1:11: invalid matches argument"] },
  { source: '"😀" + x', issues: ["1:7: undeclared reference to 'x' (in container '')"] },
  { source: "'\\ud800'", issues: ["1:1: invalid unicode code point"] },
  { source: "b'\\u0041'", issues: ["1:1: unable to unescape string"] },
  { source: "99999999999999999999", issues: ["1:1: invalid int literal"] },
  { source: "1e999", issues: ["1:1: invalid double literal"] },
  { source: "for", issues: ["1:1: reserved identifier: for"] },
  { source: "if(i)", issues: ["1:1: reserved identifier: if"] },
  { source: "i +", issues: [`1:4: Syntax error: mismatched input '<EOF>' expecting ${start}`] },
  { source: "+ i", issues: [`1:1: Syntax error: extraneous input '+' expecting ${start}`] },
  { source: "(i", issues: ["1:3: Syntax error: missing ')' at '<EOF>'"] },
  { source: "{'a' i}", issues: ["1:6: Syntax error: missing ':' at 'i'"] },
  { source: "foo(i i)", issues: ["1:7: Syntax error: extraneous input 'i' expecting ')'"] },
  { source: "i i", issues: ["1:3: Syntax error: extraneous input 'i' expecting <EOF>"] },
  {
    source: "i = 3",
    issues: ["1:3: Syntax error: token recognition error at: '= '", "1:5: Syntax error: extraneous input '3' expecting <EOF>"],
  },
  {
    source: "'abc",
    issues: ["1:1: Syntax error: token recognition error at: ''abc'", `1:5: Syntax error: mismatched input '<EOF>' expecting ${start}`],
  },
  { source: "m.true", issues: ["1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"] },
  { source: "m.", issues: ["1:3: Syntax error: no viable alternative at input '.'"] },
  { source: "!-i", issues: ["1:3: Syntax error: no viable alternative at input '-i'"] },
];
for (const { source, issues } of cases)
  test(`${source} is refused`, () => {
    const compilation = environment.compile(source);
    assert.ok(!compilation.ok);
    const heads = compilation.message.split("\n").filter((line) => line.startsWith("ERROR: "));
    assert.deepEqual(
      heads.map((line) => line.slice("ERROR: <input>:".length)),
      issues,
    );
  });

test("an issue is shown with its line, and an arrow as wide as the characters before it", () => {
  const message = (source: string) => {
    const compilation = environment.compile(source);
    return compilation.ok ? "" : compilation.message;
  };
  assert.equal(message("s.foo"), "ERROR: <input>:1:2: type 'string' does not support field selection\n | s.foo\n | .^");
  assert.match(message("i == 3 &&\n\ti.x == 1"), /^ERROR: <input>:2:3: .*\n \| {2}i\.x == 1\n \| \.\.\^$/);
  assert.match(message('"😀" + x'), /\n \| "😀" \+ x\n \| \.．\.\.\.\.\^$/);
});

test("expressions have limits", () => {
  const message = (source: string) => {
    const compilation = environment.compile(source);
    return compilation.ok ? "" : compilation.message;
  };
  assert.equal(message(`${"(".repeat(300)}1${")".repeat(300)}`), "ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
  assert.equal(message(Array(300).fill("1").join("+")), "ERROR: <input>:-1:0: max recursion depth exceeded");
  assert.equal(message(Array(300).fill("true").join("&&")), "");
  assert.equal(
    message(`'${"a".repeat(100_000)}'`),
    "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100002, limit 100000",
  );
});

test("what macros copy again and again ends at a limit", () => {
  const compilation = environment.compile(`optional.of(1)${".optMap(x, x)".repeat(30)}`);
  assert.ok(!compilation.ok);
  assert.equal(compilation.message, "ERROR: <input>:-1:0: expression node limit exceeded: 250000");
});

test("escaped fields are a feature that Kubernetes leaves off", () => {
  const escaped = createEnvironment({
    variables: new Map([["m", mapOf(stringType, intType)]]),
    libraries: [],
    features: { escapedFields: true },
  });
  assert.ok(escaped.compile("m.`a-b`").ok);
  assert.ok(!environment.compile("m.`a-b`").ok);
});
