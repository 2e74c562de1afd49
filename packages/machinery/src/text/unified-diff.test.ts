import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (...each: string[]): string => each.map((line) => `${line}\n`).join("");

const cases: readonly { readonly name: string; readonly a: string; readonly b: string; readonly expect: string }[] = [
  { name: "nothing of equal texts", a: "a\nb", b: "a\nb", expect: "" },
  {
    name: "one line for another, all of a short text",
    a: "a\nb\nc",
    b: "a\nx\nc",
    expect: lines("@@ -1,3 +1,3 @@", " a", "-b", "+x", " c"),
  },
  {
    name: "three lines of context",
    a: "1\n2\n3\n4\n5\n6\n7\n8\n9",
    b: "1\n2\n3\n4\nx\n6\n7\n8\n9",
    expect: lines("@@ -2,7 +2,7 @@", " 2", " 3", " 4", "-5", "+x", " 6", " 7", " 8"),
  },
  { name: "what is only there afterwards", a: "a\nd", b: "a\nb\nc\nd", expect: lines("@@ -1,2 +1,4 @@", " a", "+b", "+c", " d") },
  { name: "a single line without its length", a: "a", b: "b", expect: lines("@@ -1 +1 @@", "-a", "+b") },
  {
    name: "changes that are far apart in hunks of their own",
    a: "a\n1\n2\n3\n4\n5\n6\n7\nb",
    b: "x\n1\n2\n3\n4\n5\n6\n7\ny",
    expect: lines("@@ -1,4 +1,4 @@", "-a", "+x", " 1", " 2", " 3", "@@ -6,4 +6,4 @@", " 5", " 6", " 7", "-b", "+y"),
  },
];
for (const { name, a, b, expect } of cases) test(`a diff shows ${name}`, () => assert.equal(unifiedDiff(a, b), expect));

test("a diff takes away lines of the one and adds lines of the other, in their order", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const shown = unifiedDiff(a.join("\n"), b.join("\n"))
        .split("\n")
        .filter((line) => !line.startsWith("@@") && line !== "");
      const side = (sign: string): string =>
        shown
          .filter((line) => line.startsWith(sign) || line.startsWith(" "))
          .map((line) => line.slice(1))
          .join("");
      assert.ok(
        a.join("").length - side("-").length === b.join("").length - side("+").length,
        "what is left out is the same on both sides",
      );
      if (a.join() === b.join()) assert.deepEqual(shown, []);
    }),
  );
});
