import assert from "node:assert/strict";
import { test } from "node:test";
import { goList, goQuote } from "./quote.ts";

/** What Go's strconv.Quote gives. */
const quoted: readonly [text: string, expect: string][] = [
  ["", '""'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ["\n\t\x07", '"\\n\\t\\a"'],
  ["\x00\x7f", '"\\x00\\x7f"'],
  ["é 😀", '"é 😀"'],
  ["\u0085\u00a0\u200b\u2028\ufeff", '"\\u0085\\u00a0\\u200b\\u2028\\ufeff"'],
  ["\u{e0001}", '"\\U000e0001"'],
];
for (const [text, expect] of quoted) test(`quotes ${JSON.stringify(text)}`, () => assert.equal(goQuote(text), expect));

test("lists have no commas", () => assert.equal(goList(["a", 1, true]), "[a 1 true]"));
