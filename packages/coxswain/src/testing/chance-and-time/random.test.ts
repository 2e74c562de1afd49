import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type SeededRandom, seededRandom } from "./random.ts";

const some = (random: SeededRandom): unknown[] => [random.next(), random.uuid(), random.next()];

test("a seed says all that follows, and a copy goes on from where it was made", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0 }), fc.nat(20), (seed, drawn) => {
      const random = seededRandom(seed);
      for (let i = 0; i < drawn; i++) random.next();
      const copy = random.copy();
      assert.deepEqual(some(copy), some(random));
      assert.deepEqual(some(seededRandom(seed).named("a")), some(random.named("a")));
      assert.notDeepEqual(some(random.named("a")), some(random.named("b")));
      assert.notDeepEqual(some(seededRandom(seed + 1)), some(seededRandom(seed)));
    }),
  );
});

test("numbers are spread evenly, and no uid comes twice", () => {
  const random = seededRandom(1);
  const tenths = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) {
    const at = Math.floor(random.next() * 10);
    tenths[at] = (tenths[at] ?? 0) + 1;
  }
  for (const count of tenths) assert.ok(count > 850 && count < 1150, `${tenths}`);
  const uids = new Set(Array.from({ length: 50_000 }, () => random.uuid()));
  assert.equal(uids.size, 50_000);
  for (const uid of uids) assert.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
