import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DecodeReport } from "../types/decode-report.ts";
import { DecodeError } from "../values/decode-error.ts";
import { parseJsonAsYaml } from "./json-as-yaml.ts";
import { parseYaml } from "./yaml.ts";

/** What comes of a text: behind an empty line it is the parser of YAML that reads it. */
async function outcome(text: string): Promise<unknown> {
  const report = new DecodeReport();
  try {
    return { value: await parseYaml(text, { report }), problems: report.problems.map(withoutLines) };
  } catch (error) {
    if (error instanceof DecodeError) return withoutLines(error.message);
    throw error;
  }
}

const withoutLines = (text: string): string => text.replaceAll(/line \d+/g, "line");

const taken = [
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"}}\n',
  '{"a": [1, true, null, "yes", {}], "b": {"c": ""}}',
  '{"a":"\\"quoted\\" \\u003c \\n \\t \\\\ é","__proto__":{"x":1}}',
  '{"a":"# no comment: [x, *y, &z] !!str"}',
];
for (const text of taken)
  test(`JSON needs no parser of YAML: ${text.trim()}`, async () => {
    assert.deepEqual(parseJsonAsYaml(text), JSON.parse(text));
    assert.deepEqual(await outcome(text), await outcome(`\n${text}`));
  });

const left = [
  { name: "an escaped slash", text: '{"a":"\\/"}' },
  { name: "numbers below zero", text: '{"a":-0,"b":[-1]}' },
  { name: "a fraction", text: '{"a":1.0}' },
  { name: "an exponent", text: '{"a":1e3}' },
  { name: "a long number", text: '{"a":9223372036854775807}' },
  { name: "a repeated key", text: '{"a":1,"a":2}' },
  { name: "a key that merges", text: '{"<<":{"a":1}}' },
  { name: "a long key", text: `{"${"k".repeat(1_100)}":1}` },
  { name: "a line separator", text: '{"a":"x\u2028y"}' },
  { name: "a character that does not print", text: '{"a":"x\u007fy"}' },
  { name: "half a character", text: '{"a":"\\ud83d"}' },
  { name: "a pair of halves", text: '{"a":"\\ud83d\\ude00"}' },
  { name: "several lines", text: '{\n\t"a": 1\n}' },
  { name: "too much depth", text: `${'{"a":'.repeat(1_001)}1${"}".repeat(1_001)}` },
  { name: "no JSON", text: "{a: 1}" },
];
for (const { name, text } of left)
  test(`JSON is left to the parser of YAML where it may mean something else: ${name}`, async () => {
    assert.equal(parseJsonAsYaml(text), undefined);
    assert.deepEqual(await outcome(text), await outcome(`\n${text}`));
  });

test("any JSON is read as the parser of YAML reads it", async () => {
  const property = fc.asyncProperty(fc.json({ stringUnit: "binary" }), fc.boolean(), async (json, wide) => {
    const text = wide ? json.replaceAll(",", ", ") : json;
    assert.deepEqual(await outcome(text), await outcome(`\n${text}`));
  });
  await fc.assert(property, { numRuns: 500 });
});
