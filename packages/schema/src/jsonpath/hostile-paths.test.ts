import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseJsonPath, printJsonPathValue } from "./json-path.ts";
import { JsonPathError } from "./node.ts";

const parts = [
  "{",
  "}",
  ".",
  "..",
  "*",
  "[",
  "]",
  "[?(",
  ")]",
  "@",
  "$",
  ",",
  ":",
  "-1",
  "0",
  "'",
  '"',
  "\\",
  "==",
  "<",
  "range ",
  "end",
  "a",
  "b",
  "é",
];
const template = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 }))).map((words) => words.join(""));
const values = fc.jsonValue({ maxDepth: 4 });

test("whatever stands in a path, it finds values or says why not", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        template,
        template.map((path) => `{.a${path}}`),
      ),
      values,
      (path, value) => {
        try {
          parseJsonPath(path)({ a: value, b: [value] })
            .flat()
            .map(printJsonPathValue);
        } catch (error) {
          assert.ok(error instanceof JsonPathError, String(error));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

const long = [".a", "[0]", "['a']", "..a", "[?(@.a)]", "{end}", "[", "'", " "].map((part) => ({
  part,
  path: `{.a${part.repeat(100_000)}}`,
}));
const more = [
  { part: "a key of many", path: `{['${"a.".repeat(100_000)}']}` },
  { part: "a union of many", path: `{[${"0,".repeat(100_000)}0]}` },
];
for (const { part, path } of [...long, ...more]) {
  test(`a long path is no burden: ${part}`, () => {
    try {
      parseJsonPath(path)({ a: [{ a: 1 }] });
    } catch (error) {
      assert.ok(error instanceof JsonPathError, String(error));
    }
  });
}
