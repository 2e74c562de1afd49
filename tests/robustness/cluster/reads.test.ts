import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation, Watch } from "./history.ts";
import { create, event, exactList, finished, get, historyOf, list, patch, remove, update, watch } from "./history-under-test.ts";
import { checkReads } from "./reads.ts";

/** a is created at 1 and changed at 3, b is created at 2. */
const writes: readonly Operation[] = [
  create([1, 2], "a", "one", 1),
  create([3, 4], "b", "one", 2),
  update([5, 6], "a", "two", { from: 1, to: 3 }),
];

interface Case {
  readonly operations: readonly Operation[];
  readonly watches?: readonly Watch[];
  /** Names of violations. */
  readonly expect: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "fresh reads on another server": {
    operations: [
      ...writes,
      get([7, 8], "a", ["two", 3]),
      list([9, 10], 3, [
        ["a", "two", 3],
        ["b", "one", 2],
      ]),
    ],
    expect: [],
  },
  "a list whose revision is that of other keys": {
    operations: [
      ...writes,
      list([7, 8], 9, [
        ["a", "two", 3],
        ["b", "one", 2],
      ]),
    ],
    expect: [],
  },
  "old lists and reads for those who ask for any": {
    operations: [...writes, list([7, 8], 1, [["a", "one", 1]], "0"), get([7, 8], "a", ["one", 1], "0")],
    expect: [],
  },
  "a list of before the beginning for who asks for any": { operations: [...writes, list([7, 8], -1, [], "0")], expect: [] },
  "no older than what was asked for": {
    operations: [
      ...writes,
      list(
        [7, 8],
        2,
        [
          ["a", "one", 1],
          ["b", "one", 2],
        ],
        2,
      ),
      get([7, 8], "a", ["one", 1], 2),
    ],
    expect: [],
  },
  "none after a deletion without a revision": { operations: [...writes, remove([7, 8], "a", "ok"), get([9, 10], "a")], expect: [] },
  "none beside an unknown deletion": { operations: [...writes, remove([7, 8], "a", "unknown"), get([9, 10], "a")], expect: [] },
  "an unknown deletion may be why an object is missing in a list": {
    operations: [...writes, remove([7, 8], "a", "unknown"), list([9, 10], 4, [["b", "one", 2]])],
    expect: [],
  },
  "an unknown create that took effect once": {
    operations: [create([1, 2], "a", "one", "unknown"), get([3, 4], "a", ["one", 1])],
    expect: [],
  },
  "created again after it was deleted": {
    operations: [...writes, remove([7, 8], "a", 4), create([9, 10], "a", "again", 5)],
    expect: [],
  },
  "a patch whose result is seen": {
    operations: [
      ...writes,
      patch([7, 8], "b", "x", 4),
      list([9, 10], 4, [
        ["a", "two", 3],
        ["b", "one x", 4],
      ]),
    ],
    expect: [],
  },
  "a stale list": {
    operations: [
      ...writes,
      list([7, 8], 2, [
        ["a", "one", 1],
        ["b", "one", 2],
      ]),
    ],
    expect: ["stale-list"],
  },
  "a list that goes back behind another": {
    operations: [
      ...writes,
      list([7, 8], 9, [
        ["a", "two", 3],
        ["b", "one", 2],
      ]),
      list([9, 10], 8, [
        ["a", "two", 3],
        ["b", "one", 2],
      ]),
    ],
    expect: ["stale-list"],
  },
  "a stale read": { operations: [...writes, get([7, 8], "a", ["one", 1])], expect: ["stale-get"] },
  "a stale read of none": { operations: [...writes, get([7, 8], "a")], expect: ["stale-get"] },
  "a list older than asked for": {
    operations: [
      ...writes,
      list(
        [7, 8],
        2,
        [
          ["a", "one", 1],
          ["b", "one", 2],
        ],
        3,
      ),
    ],
    expect: ["older-than-requested"],
  },
  "a read older than asked for": { operations: [...writes, get([7, 8], "a", ["one", 1], 3)], expect: ["older-than-requested"] },
  "a read of what was never written": { operations: [...writes, get([7, 8], "a", ["else", 3])], expect: ["read-of-what-never-was"] },
  "a read of what is written later": { operations: [...writes, get([3, 4], "a", ["two", 3], "0")], expect: ["read-before-its-write"] },
  "a list without what was there": { operations: [...writes, list([7, 8], 3, [["a", "two", 3]])], expect: ["list-differs-from-watch"] },
  "a cached list without what was there": {
    operations: [...writes, list([7, 8], 2, [["a", "one", 1]], "0")],
    expect: ["list-differs-from-watch"],
  },
  "a list with what was replaced": {
    operations: [
      ...writes,
      list([7, 8], 3, [
        ["a", "one", 1],
        ["b", "one", 2],
      ]),
    ],
    expect: ["list-differs-from-watch"],
  },
  "a list with what a watch has seen deleted": {
    operations: [
      ...writes,
      remove([7, 8], "b", "ok"),
      list([9, 10], 4, [
        ["a", "two", 3],
        ["b", "one", 2],
      ]),
    ],
    watches: [
      watch(0, [
        event("ADDED", ["a", "one", 1]),
        event("ADDED", ["b", "one", 2]),
        event("MODIFIED", ["a", "two", 3]),
        event("DELETED", ["b", "one", 4]),
        finished,
      ]),
    ],
    expect: ["list-differs-from-watch"],
  },
  "a create that took effect twice": {
    operations: [create([1, 2], "a", "one", 1), remove([3, 4], "a", 2), get([5, 6], "a", ["one", 3])],
    expect: ["took-effect-twice"],
  },
  "an unknown create that took effect twice": {
    operations: [create([1, 2], "a", "one", "unknown"), get([3, 4], "a", ["one", 1]), remove([5, 6], "a", 2), get([7, 8], "a", ["one", 3])],
    expect: ["took-effect-twice"],
  },
  "a create that failed took effect": {
    operations: [create([1, 2], "a", "one", "AlreadyExists"), get([3, 4], "a", ["one", 1])],
    expect: ["failed-write-took-effect"],
  },
  "an update that failed took effect": {
    operations: [...writes, update([7, 8], "b", "two", { from: 2, to: "Conflict" }), get([9, 10], "b", ["two", 4])],
    expect: ["failed-write-took-effect"],
  },
  "a patch that failed took effect": {
    operations: [...writes, patch([7, 8], "b", "x", "Conflict"), get([9, 10], "b", ["one x", 4])],
    expect: ["failed-write-took-effect"],
  },
  "the revision that was asked for": { operations: [...writes, exactList([7, 8], 1, [["a", "one", 1]], 1)], expect: [] },
  "a later revision than exactly that": {
    operations: [
      ...writes,
      exactList(
        [7, 8],
        3,
        [
          ["a", "two", 3],
          ["b", "one", 2],
        ],
        1,
      ),
    ],
    expect: ["not-the-exact-revision"],
  },
  "two creates of one key": {
    operations: [create([1, 2], "a", "one", 1), create([3, 4], "a", "two", 2)],
    expect: ["created-where-something-was"],
  },
};

for (const [name, { operations, watches = [], expect }] of Object.entries(cases))
  test(`${expect.length === 0 ? "right" : "wrong"}: ${name}`, () => {
    const violations = checkReads(historyOf(operations, watches));
    assert.deepEqual(
      violations.map((one) => one.name),
      expect,
      violations.map((one) => one.message).join("\n"),
    );
    for (const { operations: involved, message } of violations) assert.ok(involved.length > 0 && message.length > 20, message);
  });
