import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapeName, unescapeName } from "./escape.ts";

const names: readonly (readonly [name: string, escaped: string | undefined])[] = [
  ["row", "row"],
  ["a-b", "a__dash__b"],
  ["a.b/c", "a__dot__b__slash__c"],
  ["a__b", "a__underscores__b"],
  ["_a_", "_a_"],
  ["namespace", "__namespace__"],
  ["int", "int"],
  ["1a", undefined],
  ["ü", undefined],
  ["a b", undefined],
  ["", undefined],
];

for (const [name, escaped] of names) test(`${name} is written ${escaped}`, () => assert.equal(escapeName(name), escaped));

test("what is written means the name again", () => {
  const withoutUnderscores = fc.stringMatching(/^[a-z./-][a-z0-9./-]*$/);
  fc.assert(fc.property(withoutUnderscores, (name) => assert.equal(unescapeName(escapeName(name) ?? ""), name)));
});

test("an escape that means nothing names no field", () => assert.equal(unescapeName("a__nothing__b"), undefined));
