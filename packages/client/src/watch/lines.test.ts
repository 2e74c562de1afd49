import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { linesOf } from "./lines.ts";

async function* inChunks(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function collect(bytes: Uint8Array, cuts: readonly number[], longest?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of linesOf(inChunks(bytes, cuts), longest)) for (const line of batch) lines.push(new TextDecoder().decode(line));
  return lines;
}

test("however a stream is cut, its lines are the same", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat()), fc.boolean(), async (texts, cuts, lastBreak) => {
      const lines = texts.map((text) => text.replaceAll("\n", "."));
      const bytes = new TextEncoder().encode(lines.join("\n") + (lastBreak ? "\n" : ""));
      assert.deepEqual(
        await collect(bytes, cuts),
        lines.filter((line) => /[^ \t\r]/.test(line)),
      );
    }),
  ));

test("a line may not be longer than the limit, in one chunk or in many", async () => {
  const bytes = new TextEncoder().encode(`${"a".repeat(10)}\n${"b".repeat(11)}`);
  assert.deepEqual(await collect(bytes, [3, 7], 11), ["a".repeat(10), "b".repeat(11)]);
  await assert.rejects(collect(bytes, [3, 7, 15], 10), RangeError);
});
