import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countCommon, countIndexes, firstMissing, formatIntervals, hasIndex, parseIntervals, withIndexes } from "./index-intervals.ts";

const forms = [
  { text: "", completions: 10, indexes: [] },
  { text: "3", completions: 10, indexes: [3] },
  { text: "1,2", completions: 10, indexes: [1, 2] },
  { text: "1-3", completions: 10, indexes: [1, 2, 3] },
  { text: "0,2-4,7", completions: 10, indexes: [0, 2, 3, 4, 7] },
];
for (const { text, completions, indexes } of forms)
  test(`[${indexes}] is written "${text}"`, () => {
    assert.equal(formatIntervals(withIndexes([], indexes)), text);
    assert.deepEqual(parseIntervals(text, completions), withIndexes([], indexes));
  });

test("what is beyond the completions, or cannot be read, is passed over", () => {
  assert.equal(formatIntervals(parseIntervals("1,x,3-9,12", 5)), "1,3,4");
});

const indexes = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 25 });

test("they are what sets of numbers are", () => {
  fc.assert(
    fc.property(indexes, indexes, fc.integer({ min: 0, max: 35 }), fc.integer({ min: 0, max: 10 }), (a, b, completions, count) => {
      const [one, other] = [withIndexes([], a), withIndexes([], b)];
      const [set, otherSet] = [new Set(a), new Set(b)];
      assert.equal(countIndexes(one), set.size);
      assert.deepEqual(withIndexes(one, b), withIndexes([], [...a, ...b]));
      assert.deepEqual(parseIntervals(formatIntervals(one), 100), one);
      assert.equal(countCommon(one, other), set.intersection(otherSet).size);
      for (let i = 0; i < 35; i++) assert.equal(hasIndex(one, i), set.has(i));
      const missing = Array.from({ length: completions }, (_, i) => i).filter((i) => !set.has(i));
      assert.deepEqual(firstMissing(one, count, completions), missing.slice(0, count));
    }),
  );
});
