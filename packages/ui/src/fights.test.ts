/** What stands out on the timeline, without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectVersion } from "@coxswain/machinery";
import { fightIn } from "../page/fights.ts";

/** As a server gives them: newest first. */
const versions = (...changes: readonly (readonly [manager: string, from: unknown, to: unknown])[]) => ({
  items: changes
    .map(
      ([manager, from, to], i): ObjectVersion => ({
        resourceVersion: String(i + 1),
        operation: "update",
        manager,
        changes: [{ field: ".data.side", operation: "changed", from, to }] as never,
      }),
    )
    .reverse(),
});

const cases = [
  { name: "two who set each other's value back", given: between("ann", "ben", 5), expect: { writers: ["ann", "ben"], times: 4 } },
  { name: "two who do so twice", given: between("ann", "ben", 3), expect: undefined },
  { name: "one who sets a field back and forth", given: between("ann", "ann", 8), expect: { writers: ["ann"], times: 7 } },
  { name: "one who does so now and then", given: between("ann", "ann", 5), expect: undefined },
  { name: "two who go on", given: Array.from({ length: 20 }, (_, i) => [i % 2 ? "ann" : "ben", i, i + 1] as const), expect: undefined },
];
for (const { name, given, expect } of cases)
  test(`${name} ${expect === undefined ? "do not stand out" : "stand out"}`, () => {
    const found = fightIn(versions(...given));
    assert.deepEqual(found, expect === undefined ? undefined : { field: ".data.side", ...expect });
  });

function between(one: string, other: string, times: number): readonly (readonly [string, unknown, unknown])[] {
  return Array.from({ length: times }, (_, i) => (i % 2 === 0 ? [one, "left", "right"] : [other, "right", "left"]));
}
