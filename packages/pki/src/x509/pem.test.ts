import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateBlocks, pemBlocks } from "./pem.ts";

const cases = [
  { name: "none", text: "no block", expect: [] },
  { name: "one among other lines", text: "a\n-----BEGIN A B-----\nQUJD\n-----END A B-----\nb", expect: [["A B", "QUJD\n"]] },
  { name: "spaces and CR after the label", text: "-----BEGIN A-----\t \r\nQQ==\r\n-----END A-----", expect: [["A", "QQ==\r\n"]] },
  {
    name: "two",
    text: "-----BEGIN A-----\n1\n-----END A-----\n-----BEGIN B-----\n2\n-----END B-----\n",
    expect: [
      ["A", "1\n"],
      ["B", "2\n"],
    ],
  },
  {
    name: "one that another type ends",
    text: "-----BEGIN A-----\n1\n-----END B-----\n-----BEGIN C-----\n2\n-----END C-----",
    expect: [["C", "2\n"]],
  },
  { name: "a label without its end", text: "-----BEGIN A\n1\n-----END A-----", expect: [] },
  { name: "a block without its end", text: "-----BEGIN A-----\n1", expect: [] },
] as const;
for (const { name, text, expect } of cases) {
  test(`PEM blocks: ${name}`, () => {
    assert.deepEqual(
      [...pemBlocks(text)].map(({ type, body }) => [type, body]),
      expect,
    );
  });
}

test("PEM certificates: other blocks are left out", () => {
  const one = "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n";
  const key = "-----BEGIN PRIVATE KEY-----\nQQ==\n-----END PRIVATE KEY-----\n";
  assert.deepEqual([...certificateBlocks(`x\n${one}${key}y\n${one}`)], [one, one]);
});
