import assert from "node:assert/strict";
import { test } from "node:test";
import { findYamlLine, type YamlPath } from "./yaml-lines.ts";

const text = `# a file
kind: List
items:
- name: first
  rules: [{ a: 1 }, { a: 2,
    b: 3 }]
- name: second
  text: |
    long
  more:
    deep: 1
`;

const cases: readonly { readonly path: YamlPath; readonly line: number }[] = [
  { path: [], line: 1 },
  { path: ["kind"], line: 2 },
  { path: ["items", 0, "name"], line: 4 },
  { path: ["items", 0, "rules", 1, "b"], line: 6 },
  { path: ["items", 1], line: 7 },
  { path: ["items", 1, "text"], line: 8 },
  { path: ["items", 1, "more", "deep"], line: 11 },
  { path: ["items", 1, "missing", "deep"], line: 7 },
  { path: ["items", 7], line: 3 },
  { path: ["kind", "none"], line: 2 },
];
for (const { path, line } of cases)
  test(`${path.join(".") || "the document"} is at line ${line}`, async () => assert.equal(await findYamlLine(text, path), line));

test("a text that is no YAML is wrong at a line", async () => assert.equal(await findYamlLine("a: 1\nb: [", ["b"]), 2));
