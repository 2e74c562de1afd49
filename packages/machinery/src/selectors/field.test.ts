import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseFieldSelector } from "./field.ts";

const texts: readonly [text: string, printed: string][] = [
  ["", ""],
  [",,", ""],
  ["a=1", "a=1"],
  ["b==2,a!=x\\,y", "a!=x\\,y,b=2"],
  ["a=\\\\\\=", "a=\\\\\\="],
  ["a=", "a="],
  ["=v", "=v"],
  ["=,a=1", "a=1"],
  ["status.phase != Running", "status.phase != Running"],
];
for (const [text, printed] of texts) test(`prints ${text} as ${printed}`, () => assert.equal(String(parseFieldSelector(text)), printed));

/** What k8s.io/apimachinery 0.36.3 says. */
const errors: readonly [text: string, message: string][] = [
  ["a", "invalid selector: 'a'; can't understand 'a'"],
  ["b=1,a", "invalid selector: 'b=1,a'; can't understand 'a'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ["a=b\\x", "invalid field selector: invalid escape sequence: \\x"],
];
for (const [text, message] of errors) test(`refuses ${text}`, () => assert.throws(() => parseFieldSelector(text), { message, code: 400 }));

test("matches fields by text, absent ones being empty", () => {
  const fields = new Map([["metadata.name", "a"]]);
  const matches = (text: string): boolean => parseFieldSelector(text).matches((field) => fields.get(field));
  assert.deepEqual(
    ["metadata.name=a", "metadata.name!=a", "status.phase=", "status.phase!=x", "metadata.name=a,status.phase=x"].map(matches),
    [true, false, true, true, false],
  );
});

test("returns the value that a field must have", () => {
  const selector = parseFieldSelector("metadata.name=a,spec.nodeName!=b");
  assert.equal(selector.exact("metadata.name"), "a");
  assert.equal(selector.exact("spec.nodeName"), undefined);
  assert.equal(selector.empty, false);
  assert.equal(parseFieldSelector("").empty, true);
});

test("any value survives escaping", () => {
  const escaped = (value: string): string => value.replace(/[\\,=]/g, "\\$&");
  fc.assert(
    fc.property(fc.array(fc.record({ operator: fc.constantFrom("=", "!="), value: fc.string({ unit: "binary" }) })), (terms) => {
      const selector = parseFieldSelector(terms.map(({ operator, value }, i) => `f${i}${operator}${escaped(value)}`).join(","));
      for (const [i, { operator, value }] of terms.entries()) {
        const found = selector.requirements.find(({ field }) => field === `f${i}`);
        assert.deepEqual(found, { field: `f${i}`, operator, value });
      }
      assert.equal(parseFieldSelector(selector.toString()).toString(), selector.toString());
    }),
  );
});
