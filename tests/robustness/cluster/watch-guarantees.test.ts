import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation, Watch } from "./history.ts";
import { bookmark, create, event, finished, historyOf, patch, remove, update, watch } from "./history-under-test.ts";
import { checkWatches } from "./watch-guarantees.ts";

/** a is created at 1, changed at 3 and deleted at 4; b is created at 2. */
const writes: readonly Operation[] = [
  create([1, 2], "a", "one", 1),
  create([3, 4], "b", "odd", 2),
  update([5, 6], "a", "odd two", { from: 1, to: 3 }),
  remove([7, 8], "a", 4),
];

const a1 = event("ADDED", ["a", "one", 1]);
const b2 = event("ADDED", ["b", "odd", 2]);
const a3 = event("MODIFIED", ["a", "odd two", 3], ["a", "one", 1]);
const a4 = event("DELETED", ["a", "odd two", 4], ["a", "odd two", 3]);

interface Case {
  readonly watch: Watch;
  /** Names of violations. */
  readonly expect: readonly string[];
  readonly operations?: readonly Operation[];
}

const cases: Readonly<Record<string, Case>> = {
  "all in order": { watch: watch(0, [a1, b2, a3, a4, bookmark(4), finished]), expect: [] },
  "the rest after a resume": { watch: watch(2, [a3, a4, finished]), expect: [] },
  "an end before all has come": { watch: watch(0, [a1, b2, { kind: "end", time: 200, by: "closed" }]), expect: [] },
  "an error instead of what is compacted": { watch: watch(0, [{ kind: "error", time: 200, code: 410 }]), expect: [] },
  "bookmarks between events": { watch: watch(0, [a1, bookmark(1), b2, bookmark(2), a3, a4]), expect: [] },
  "one key": { watch: watch(0, [a1, a3, a4, finished], { key: "a" }), expect: [] },
  "a token that comes and goes": {
    watch: watch(0, [b2, event("ADDED", ["a", "odd two", 3]), a4, finished], { token: "odd" }),
    expect: [],
  },
  "what loses the token is deleted": {
    operations: [...writes.slice(0, 2), update([9, 10], "b", "even", { from: 2, to: 3 })],
    watch: watch(0, [b2, event("DELETED", ["b", "odd", 3]), finished], { token: "odd" }),
    expect: [],
  },
  "a patch whose result no answer shows": {
    operations: [...writes.slice(0, 2), patch([9, 10], "a", "odd", 3)],
    watch: watch(0, [b2, event("ADDED", ["a", "odd one", 3]), finished], { token: "odd" }),
    expect: [],
  },
  "a write of unknown outcome that came": {
    operations: [...writes, create([9, 10], "c", "x", "unknown")],
    watch: watch(0, [a1, b2, a3, a4, event("ADDED", ["c", "x", 5]), finished]),
    expect: [],
  },
  "out of order": { watch: watch(0, [a1, a3, b2, a4]), expect: ["ordered"] },
  "a bookmark that goes back": { watch: watch(0, [a1, b2, bookmark(1)]), expect: ["ordered"] },
  "one event twice": { watch: watch(0, [a1, a1, b2]), expect: ["unique"] },
  "one missing in between": { watch: watch(0, [a1, a3, a4]), expect: ["reliable"] },
  "the last missing": { watch: watch(0, [a1, b2, a3, finished]), expect: ["reliable"] },
  "a deletion that never comes": { watch: watch(2, [a3, finished], { key: "a" }), expect: ["reliable"] },
  "the first after a resume missing": { watch: watch(1, [a3, a4]), expect: ["resumable"] },
  "what was before the resume": { watch: watch(2, [b2, a3, a4]), expect: ["resumable"] },
  "an event after its bookmark": { watch: watch(0, [a1, bookmark(2), b2, a3]), expect: ["bookmarkable"] },
  "a bookmark that passes over the last": { watch: watch(0, [a1, b2, bookmark(4)]), expect: ["progress-ahead", "progress-ahead"] },
  "a bookmark before the write": { watch: watch(0, [a1, b2, a3, bookmark(4, 6), a4]), expect: ["bookmarkable", "progress-ahead"] },
  "another key": { watch: watch(0, [a1, b2, a3, a4], { key: "a" }), expect: ["filtered"] },
  "without the token": { watch: watch(0, [a1, b2], { token: "odd" }), expect: ["filtered"] },
  "modified, but it begins to be selected": { watch: watch(0, [b2, a3, a4], { token: "odd" }), expect: ["filtered"] },
  "added, but it was there": { watch: watch(0, [a1, b2, event("ADDED", ["a", "odd two", 3])]), expect: ["filtered"] },
  "another object": { watch: watch(0, [a1, event("ADDED", ["b", "else", 2])]), expect: ["object"] },
  "an event of a revision that none has": {
    watch: watch(0, [a1, b2, a3, a4, event("DELETED", ["b", "else", 9])]),
    expect: ["previous-object"],
  },
  "the object of a deletion is not the last": { watch: watch(2, [a3, event("DELETED", ["a", "one", 4])]), expect: ["previous-object"] },
  "the previous object is not the last": {
    watch: watch(2, [a3, event("DELETED", ["a", "odd two", 4], ["a", "one", 1])]),
    expect: ["previous-object"],
  },
  "a previous object of what is new": { watch: watch(0, [event("ADDED", ["a", "one", 1], ["a", "zero", 0])]), expect: ["previous-object"] },
  "half of what one revision has changed": {
    operations: [create([1, 2], "a", "one", 1), create([1, 2], "b", "one", 1), create([3, 4], "c", "one", 2)],
    watch: watch(0, [a1, event("ADDED", ["c", "one", 2])]),
    expect: ["atomic"],
  },
};

for (const [name, { watch: stream, expect, operations = writes }] of Object.entries(cases))
  test(`${expect.length === 0 ? "right" : "wrong"}: ${name}`, () => {
    const violations = checkWatches(historyOf(operations, [stream]));
    assert.deepEqual(violations.map((one) => one.name).sort(), [...expect].sort(), violations.map((one) => one.message).join("\n"));
    for (const one of violations) assert.equal(one.watch, stream);
  });

test("a violation names the stream, what is wrong and the write", () => {
  const [violation] = checkWatches(historyOf(writes, [watch(0, [a1, a3, a4])]));
  assert.equal(violation?.message, "watch 1 of watcher on server-3: ADDED of b at 2 never comes");
  assert.deepEqual(violation?.operations, [writes[1]]);
});

test("what only another stream has shown is missed, too", () => {
  const unknown = [...writes.slice(0, 2), create([9, 10], "c", "x", "unknown")];
  const c3 = event("ADDED", ["c", "x", 3]);
  const violations = checkWatches(historyOf(unknown, [watch(0, [a1, b2, c3, finished]), watch(0, [a1, b2, finished])]));
  assert.deepEqual(
    violations.map(({ name }) => name),
    ["reliable"],
  );
});
