import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { releaseMemoryWhenIdle, threadMemory } from "./idle-memory.ts";

const megabyte = 1024 * 1024;

test("a thread at rest gives back what it has grown by, once", () => {
  const clock = new ManualClock();
  let [utilization, size, collected] = [0.5, 100 * megabyte, 0];
  const source = {
    utilization: () => utilization,
    heapSize: () => size,
    collect: () => {
      collected++;
      size = 60 * megabyte;
    },
  };
  using _ = releaseMemoryWhenIdle(clock, source);
  const after = (change: () => void): number => {
    change();
    clock.advance(10_000);
    return collected;
  };
  assert.equal(
    after(() => undefined),
    0,
    "busy",
  );
  assert.equal(
    after(() => (utilization = 0.01)),
    1,
  );
  assert.equal(
    after(() => undefined),
    1,
    "nothing has grown",
  );
  assert.equal(
    after(() => (size = 70 * megabyte)),
    1,
    "a little has",
  );
  assert.equal(
    after(() => (size = 100 * megabyte)),
    2,
  );
  assert.equal(
    after(() => (size = 600 * megabyte)),
    2,
    "the pause would be long",
  );
});

test("what nobody refers to any more leaves the process", () => {
  const clock = new ManualClock();
  const source = { ...threadMemory(), utilization: () => 0 };
  using _ = releaseMemoryWhenIdle(clock, source);
  const held = Array.from({ length: 50_000 }, (_, i) => Array.from({ length: 100 }, (_, j) => i + j));
  const grown = source.heapSize();
  assert.equal(held.length, 50_000);
  held.length = 0;
  clock.advance(10_000);
  assert.ok(source.heapSize() < grown - 24 * megabyte, `${grown} to ${source.heapSize()} bytes`);
});
