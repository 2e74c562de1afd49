import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "./slots.ts";

test("as many go on as there are slots, the others in the order in which they came", async () => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3, 4].map(async (i) => {
    const turn = slots.take();
    if (turn !== undefined) await turn;
    begun.push(i);
    await new Promise<void>((resolve) => {
      ends[i] = resolve;
    });
    slots.give();
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun, [0, 1]);
  ends[1]?.();
  await settled();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const i of [0, 2]) ends[i]?.();
  await settled();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  for (const i of [3, 4]) ends[i]?.();
  await Promise.all(all);
  assert.equal(slots.take(), undefined);
  assert.equal(slots.take(), undefined);
  assert.notEqual(slots.take(), undefined);
});
