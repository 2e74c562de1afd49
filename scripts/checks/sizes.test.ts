import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSizes } from "./sizes.ts";

const lines = (count: number): string => "x\n".repeat(count);

test("sizes: 300 lines pass, more are named, more than 500 fail", () => {
  const files = new Map([300, 301, 500, 501].map((count) => [`f${count}`, lines(count)] as const));
  assert.deepEqual(
    checkSizes(files).map(({ file, fails }) => [file, fails]),
    [
      ["f501", true],
      ["f500", false],
      ["f301", false],
    ],
  );
});
