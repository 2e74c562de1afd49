import assert from "node:assert/strict";
import { test } from "node:test";
import { warningHeaders } from "./warning-headers.ts";

const utf8 = (header: string): string => Buffer.from(header, "latin1").toString("utf8");
const numbered = (count: number, text: string): string[] => Array.from({ length: count }, (_, i) => `${String(i).padStart(2, "0")}${text}`);

const cases: readonly { readonly name: string; readonly texts: readonly string[]; readonly lines: readonly string[] }[] = [
  { name: "none", texts: [], lines: [] },
  { name: "a text", texts: ["old field"], lines: ['299 - "old field"'] },
  { name: "quotes and backslashes, escaped", texts: ['a "b" \\c'], lines: ['299 - "a \\"b\\" \\\\c"'] },
  { name: "each text once", texts: ["a", "b", "a"], lines: ['299 - "a"', '299 - "b"'] },
  { name: "no line breaks of a client's", texts: ["a\r\nSet-Cookie: b"], lines: ['299 - "a  Set-Cookie: b"'] },
  { name: "UTF-8", texts: ["é€😀"], lines: ['299 - "é€😀"'] },
  { name: "4096 characters in full", texts: ["é".repeat(4096)], lines: [`299 - "${"é".repeat(4096)}"`] },
  { name: "longer ones cut to 256 characters", texts: ["😀".repeat(4097), "b"], lines: [`299 - "${"😀".repeat(256)}"`, '299 - "b"'] },
  {
    name: "as many cut ones as make 4096 characters",
    texts: numbered(20, "x".repeat(300)),
    lines: numbered(16, "x".repeat(254)).map((text) => `299 - "${text}"`),
  },
];
for (const { name, texts, lines } of cases) {
  test(`warnings: ${name}`, () => {
    assert.deepEqual((warningHeaders(texts).warning ?? []).map(utf8), lines);
  });
}
