import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openVirtualProgram } from "./program.ts";
import { checkFileSize, checkFunctionSizes } from "./sizes.ts";

const lines = (count: number): string => "x();\n".repeat(count);

const files = [
  { name: "300 lines of source", file: "packages/store/src/a.ts", text: lines(300), expect: [] },
  { name: "301 lines of source", file: "packages/store/src/a.ts", text: lines(301), expect: ["301 lines; at most 300"] },
  { name: "500 lines of tests", file: "packages/store/src/a.test.ts", text: lines(500), expect: [] },
  { name: "501 lines of tests", file: "tests/client/a.ts", text: lines(501), expect: ["501 lines; at most 500"] },
];
for (const { name, file, text, expect } of files) {
  test(`sizes: a file of ${name}`, () => {
    assert.deepEqual(
      checkFileSize(file, text).map(({ message }) => message),
      expect,
    );
  });
}

const cases = [
  { name: "function-of-80-lines", text: `function f() {\n${lines(78)}}`, expect: [] },
  { name: "function-of-81-lines", text: `/** Long. */\nfunction f() {\n${lines(79)}}`, expect: ["2: f has 81 lines; at most 80"] },
  { name: "long-arrow-function", text: `const f = () => {\n${lines(79)}};`, expect: ["1: f has 81 lines; at most 80"] },
  { name: "long-method", text: `class C {\n  m() {\n${lines(79)}}\n}`, expect: ["2: m has 81 lines; at most 80"] },
  { name: "suite-of-tests", text: `withServer("s", () => {\n${lines(78)}test("t", f);\n});`, expect: [] },
  { name: "long-test", text: `test("t", () => {\n${lines(79)}});`, expect: ["1: a function has 81 lines; at most 80"] },
  { name: "four-parameters", text: "function f(this: C, a: 1, b: 1, c: 1, d?: 1) {}", expect: [] },
  {
    name: "five-parameters",
    text: "const f = (a: 1, b: 1, c: 1, d: 1, ...e: 1[]) => a;",
    expect: ["1: f takes 5 parameters; at most 4, others go into an options object"],
  },
  {
    name: "constructor-and-signature",
    text: "class C {\n  constructor(a: 1, b: 1, c: 1, d: 1, e: 1) {}\n}\ninterface I {\n  m(a: 1, b: 1, c: 1, d: 1, e: 1): void;\n}",
    expect: [
      "2: C takes 5 parameters; at most 4, others go into an options object",
      "5: m takes 5 parameters; at most 4, others go into an options object",
    ],
  },
];
const program = openVirtualProgram(Object.fromEntries(cases.map(({ name, text }) => [`${name}.ts`, text])));
after(() => program[Symbol.dispose]());
for (const { name, expect } of cases) {
  test(`sizes: ${name.replaceAll("-", " ")}`, () => {
    const source = program.sourceFile(`${name}.ts`);
    assert.ok(source);
    assert.deepEqual(
      checkFunctionSizes(`${name}.ts`, source).map(({ line, message }) => `${line}: ${message}`),
      expect,
    );
  });
}
