import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkMemory } from "./chunk-memory.ts";

test("what was given back is taken again, at the length that is needed", () => {
  const memory = new ChunkMemory(1024);
  const first = memory.take(1000);
  memory.give(first);
  const second = memory.take(1010);
  assert.equal(second.buffer, first.buffer);
  assert.equal(second.byteLength, 1010);
});

test("what is in use is taken by nobody else", () => {
  const memory = new ChunkMemory(1024 * 64);
  const taken = [memory.take(50_000), memory.take(50_000), memory.take(50_000)];
  assert.equal(new Set(taken.map(({ buffer }) => buffer)).size, 3);
});

test("chunks of other lengths are not kept", () => {
  const memory = new ChunkMemory(1024 * 64);
  for (const bytes of [10, 1024 * 1024]) {
    const odd = memory.take(bytes);
    assert.equal(odd.byteLength, bytes);
    memory.give(odd);
    assert.notEqual(memory.take(40_000).buffer, odd.buffer);
  }
});
