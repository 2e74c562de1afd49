import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { simplePattern } from "./simple-pattern.ts";

describe("JavaScript's engine runs", () => {
  for (const pattern of ["^[A-Z]$", "^v\\d+", "^[a-z][-a-z0-9]{0,62}$", "^$", "^a\\.b[^,\\]]*$", "^\\$"])
    test(pattern, () => assert.ok(simplePattern(pattern)));
});

describe("RE2 is left", () => {
  const patterns = [
    "a",
    "^a*a*$",
    "^(a)$",
    "^a|b$",
    "^.$",
    "^a+?$",
    "^[[:alpha:]]$",
    "^[^]a]$",
    "^\\s$",
    "^\\pL$",
    "^a$b",
    "^a?a?a?a?a?a?a?$",
    "^a{2,90}$",
    "^é",
  ];
  for (const pattern of patterns) test(pattern, () => assert.equal(simplePattern(pattern), undefined));
});

test("both agree", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    "-",
    "\\d",
    "\\w",
    "\\.",
    "\\[",
    "[ab]",
    "[^a]",
    "[^a-c]",
    "[\\w-]",
    "[\\]^]",
    "[a\\-z]",
    "[é😀]",
    "\\$",
  );
  const repeat = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{1,3}", "{0,}");
  const pattern = fc.array(fc.tuple(atom, repeat), { maxLength: 5 }).map((parts) => `^${parts.map((part) => part.join("")).join("")}`);
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "c", "1", ".", "-", "[", "]", "^", "$", "_", "é", "😀", "\n", "\u2028"),
    maxLength: 8,
  });
  fc.assert(
    fc.property(pattern, fc.boolean(), text, (start, ends, value) => {
      const source = ends ? `${start}$` : start;
      const simple = simplePattern(source);
      if (simple !== undefined) assert.equal(simple.test(value), RE2JS.compile(source).test(value), source);
    }),
    { numRuns: 2000, seed: 1 },
  );
});
