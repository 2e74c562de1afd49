import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { allocateSeats } from "./seat-allocation.ts";

test("targets are met in proportion where no bound stands in the way", () => {
  const levels = [10, 20, 70].map((target) => ({ lower: 0, upper: 1_000, target }));
  assert.deepEqual(allocateSeats(200, levels)?.seats.map(Math.round), [20, 40, 140]);
});

test("who needs its lower bound gets it, and others have what is left", () => {
  const levels = [
    { lower: 50, upper: 100, target: 50 },
    { lower: 0, upper: 100, target: 100 },
    { lower: 0, upper: 100, target: 100 },
  ];
  assert.deepEqual(allocateSeats(100, levels)?.seats.map(Math.round), [50, 25, 25]);
});

test("there is no way where the bounds leave none", () => {
  assert.equal(allocateSeats(10, [{ lower: 11, upper: 20, target: 11 }]), undefined);
  assert.equal(allocateSeats(30, [{ lower: 1, upper: 20, target: 11 }]), undefined);
});

test("all seats are given, within the bounds, and by one fraction", () => {
  const level = fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 80 }))
    .map(([lower, more, want]) => ({ lower, upper: lower + more, target: lower + want }));
  fc.assert(
    fc.property(fc.array(level, { minLength: 1, maxLength: 8 }), fc.double({ min: 0, max: 1, noNaN: true }), (levels, part) => {
      const [low, high] = (["lower", "upper"] as const).map((bound) => levels.reduce((sum, one) => sum + one[bound], 0));
      const total = (low ?? 0) + part * ((high ?? 0) - (low ?? 0));
      const allocation = allocateSeats(total, levels);
      assert.ok(allocation !== undefined);
      const { seats, fairFraction } = allocation;
      assert.ok(Math.abs(seats.reduce((sum, one) => sum + one, 0) - total) < 1e-6);
      for (const [i, { lower, upper, target }] of levels.entries()) {
        const given = seats[i] ?? Number.NaN;
        assert.ok(given >= lower - 1e-9 && given <= upper + 1e-9);
        const free = Math.max(target, 0.001) * fairFraction;
        assert.ok(Math.abs(given - Math.max(lower, Math.min(upper, free))) < 1e-6);
      }
    }),
  );
});
