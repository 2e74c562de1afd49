import assert from "node:assert/strict";
import { test } from "node:test";
import { generateToken, isBootstrapToken } from "./bootstrap-tokens.ts";

test("tokens are of six and sixteen characters, each as likely as any other", () => {
  let next = 0;
  const bytesOf = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => next++ % 256);
  const counts = new Map<string, number>();
  // Every byte once for each character of the alphabet, those left out aside.
  for (let i = 0; i < 252 * 36; i += 22) {
    const token = generateToken(bytesOf);
    assert.ok(isBootstrapToken(token), token);
    for (const character of token.replace(".", "")) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.equal(counts.size, 36);
  const mean = [...counts.values()].reduce((sum, count) => sum + count, 0) / 36;
  // A remainder of all bytes would give the first four letters a seventh more.
  for (const [character, count] of counts) assert.ok(Math.abs(count - mean) < mean / 10, `${character}: ${count} of ${mean}`);
});

for (const text of ["abcdef.0123456789abcde", "Abcdef.0123456789abcdef", "abcdef", "abcdef.0123456789abcdef "])
  test(`${JSON.stringify(text)} is no token`, () => assert.equal(isBootstrapToken(text), false));
