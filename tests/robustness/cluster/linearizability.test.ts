import assert from "node:assert/strict";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { seededRandom } from "../../fuzz/harness/random.ts";
import { propertyRuns } from "../../scope.ts";
import { runDouble } from "./double.ts";
import type { Operation } from "./history.ts";
import { apply, create, get, historyOf, list, patch, remove, update } from "./history-under-test.ts";
import { searchOrder } from "./key-search.ts";
import { keyOperations } from "./key-steps.ts";
import { checkLinearizability } from "./linearizability.ts";
import { wrongMutations } from "./mutations.ts";

const created = create([1, 2], "a", "one", 1);

const right: Readonly<Record<string, readonly Operation[]>> = {
  "nothing at all": [],
  "one after the other": [
    created,
    get([3, 4], "a", ["one", 1]),
    update([5, 6], "a", "two", { from: 1, to: 2 }),
    get([7, 8], "a", ["two", 2]),
  ],
  "a read beside a write shows what was before": [created, update([3, 9], "a", "two", { from: 1, to: 2 }), get([4, 5], "a", ["one", 1])],
  "a read beside a write shows what comes": [created, update([3, 9], "a", "two", { from: 1, to: 2 }), get([4, 5], "a", ["two", 2])],
  "what returns at the moment of a call is beside it": [
    created,
    update([3, 5], "a", "two", { from: 1, to: 2 }),
    get([5, 6], "a", ["one", 1]),
  ],
  "an unknown write is read later": [created, update([3, 4], "a", "two", { from: 1, to: "unknown" }), get([9, 10], "a", ["two", 2])],
  "an unknown write never is": [created, update([3, 4], "a", "two", { from: 1, to: "unknown" }), get([9, 10], "a", ["one", 1])],
  "an unknown write takes effect after a read that came after it": [
    created,
    update([3, 4], "a", "two", { from: 1, to: "unknown" }),
    get([5, 6], "a", ["one", 1]),
    get([9, 10], "a", ["two", 2]),
  ],
  "an unknown deletion explains why there is none": [created, remove([3, 4], "a", "unknown"), get([5, 6], "a")],
  "an unknown create explains why another fails": [create([1, 2], "a", "one", "unknown"), create([3, 4], "a", "two", "AlreadyExists")],
  "an unknown write explains a conflict": [
    created,
    update([3, 4], "a", "two", { from: 1, to: "unknown" }),
    update([5, 6], "a", "three", { from: 1, to: "Conflict" }),
  ],
  "of two that expect one revision one loses": [
    created,
    update([3, 9], "a", "two", { from: 1, to: 2 }),
    update([3, 9], "a", "three", { from: 1, to: "Conflict" }),
    get([10, 11], "a", ["two", 2]),
  ],
  "a patch adds to what is there": [created, patch([3, 4], "a", "more", 2), get([5, 6], "a", ["more one", 2])],
  "patches of two clients both count": [
    created,
    patch([3, 9], "a", "x", 3),
    patch([3, 9], "a", "y", 2),
    get([10, 11], "a", ["one x y", 3]),
  ],
  "an apply makes what is not there": [apply([1, 2], "a", "x", 1), get([3, 4], "a", ["x", 1])],
  "an apply adds to what is there": [created, apply([3, 4], "a", "x", 2), get([5, 6], "a", ["one x", 2])],
  "an unknown apply made what another adds to": [
    apply([1, 2], "a", "x", "unknown"),
    patch([3, 4], "a", "y", 2),
    get([5, 6], "a", ["x y", 2]),
  ],
  "a deletion without a revision": [created, remove([3, 4], "a", "ok"), get([5, 6], "a"), create([7, 8], "a", "two", 3)],
  "a list shows all keys at one revision": [
    created,
    create([3, 4], "b", "one", 2),
    list([5, 6], 2, [
      ["a", "one", 1],
      ["b", "one", 2],
    ]),
  ],
  "a list beside a write of one key": [created, create([3, 9], "b", "one", 2), list([5, 6], 1, [["a", "one", 1]])],
  "reads that name a resourceVersion may be old": [
    created,
    update([3, 4], "a", "two", { from: 1, to: 2 }),
    get([5, 6], "a", ["one", 1], "0"),
  ],
  "an old revision says nothing of another key": [
    create([1, 2], "b", "one", 1),
    create([3, 4], "a", "one", 2),
    get([5, 6], "b", ["one", 1]),
  ],
};

const wrong: Readonly<Record<string, readonly Operation[]>> = {
  "a stale read": [created, update([3, 4], "a", "two", { from: 1, to: 2 }), get([5, 6], "a", ["one", 1])],
  "a stale read of none": [created, get([3, 4], "a")],
  "a lost update": [created, update([3, 9], "a", "two", { from: 1, to: 2 }), update([3, 9], "a", "three", { from: 1, to: 3 })],
  "a lost patch": [created, patch([3, 4], "a", "x", 2), patch([5, 6], "a", "y", 3), get([7, 8], "a", ["one y", 3])],
  "a read of a write that failed": [created, update([3, 4], "a", "two", { from: 1, to: "Conflict" }), get([5, 6], "a", ["two", 2])],
  "an apply replaces what is there": [created, apply([3, 4], "a", "x", 2), get([5, 6], "a", ["x", 2])],
  "a conflict without a reason": [created, update([3, 4], "a", "two", { from: 1, to: "Conflict" })],
  "a create fails on nothing": [create([1, 2], "a", "one", "AlreadyExists")],
  "a second create succeeds": [created, create([3, 4], "a", "two", 2)],
  "an update of nothing": [update([1, 2], "a", "one", { to: 1 })],
  "a write takes effect twice": [created, get([3, 4], "a", ["one", 1]), get([5, 6], "a", ["one", 2])],
  "an unknown write takes effect twice": [
    created,
    update([3, 4], "a", "two", { to: "unknown" }),
    get([5, 6], "a", ["two", 2]),
    update([7, 8], "a", "three", { from: 2, to: 3 }),
    get([9, 10], "a", ["two", 4]),
  ],
  "an unknown write is taken back": [
    created,
    update([3, 4], "a", "two", { from: 1, to: "unknown" }),
    get([5, 6], "a", ["two", 2]),
    get([7, 8], "a", ["one", 1]),
  ],
  "an unknown write took effect before its call": [
    created,
    get([3, 4], "a", ["two", 2]),
    update([5, 6], "a", "two", { from: 1, to: "unknown" }),
  ],
  "an unknown write took effect, although it cannot have": [
    created,
    update([3, 4], "a", "two", { from: 7, to: "unknown" }),
    get([5, 6], "a", ["two", 2]),
  ],
  "time goes backwards for one reader": [
    created,
    update([3, 20], "a", "two", { from: 1, to: 2 }),
    get([4, 5], "a", ["two", 2]),
    get([6, 7], "a", ["one", 1]),
  ],
  "revisions of a key go back": [create([1, 2], "a", "one", 5), update([3, 4], "a", "two", { from: 5, to: 4 })],
  "revisions of two keys go back": [create([1, 2], "a", "one", 2), create([3, 4], "b", "one", 1)],
  "one revision for two keys": [create([1, 9], "a", "one", 1), create([1, 9], "b", "one", 1)],
  "a read of a revision that another key has": [
    create([1, 2], "a", "one", 1),
    create([3, 4], "b", "x", "unknown"),
    get([5, 6], "b", ["x", 1]),
  ],
  "an older read of one key after a newer revision of another": [
    created,
    update([3, 20], "a", "two", { from: 1, to: 2 }),
    create([4, 5], "b", "one", 3),
    get([6, 7], "a", ["one", 1]),
  ],
  "none of a key after a newer revision of another": [create([1, 20], "a", "one", 1), create([2, 3], "b", "one", 2), get([4, 5], "a")],
  "a list of two moments": [
    created,
    create([3, 9], "b", "one", 2),
    update([3, 9], "a", "two", { from: 1, to: 3 }),
    list([4, 8], 3, [["a", "two", 3]]),
  ],
  "a list from before a write": [created, create([3, 4], "b", "one", 2), list([5, 6], 1, [["a", "one", 1]])],
  "a list with what was deleted before the revision of the list was written": [
    created,
    list([3, 20], 3, [
      ["a", "one", 1],
      ["b", "one", 3],
    ]),
    remove([4, 5], "a", "ok"),
    create([6, 7], "b", "one", 3),
  ],
  "a list without what is there again at its revision": [
    created,
    remove([3, 4], "a", "ok"),
    list([4, 20], 3, []),
    create([5, 6], "a", "two", 3),
  ],
  "a list whose revision goes back": [created, list([3, 4], 5, [["a", "one", 1]]), list([5, 6], 4, [["a", "one", 1]])],
  "a list without what is deleted only later": [create([1, 9], "a", "one", 1), list([2, 8], 1, []), remove([10, 11], "a", "ok")],
  "a list that is behind its own items": [created, list([3, 4], 0, [["a", "one", 1]])],
  "a deletion that was not": [created, remove([3, 4], "a", "ok"), get([5, 6], "a", ["one", 1])],
  "a deletion against its precondition": [created, update([3, 4], "a", "two", { from: 1, to: 2 }), remove([5, 6], "a", 3, 1)],
};

for (const [name, operations] of Object.entries(right))
  test(`right: ${name}`, () => assert.deepEqual(checkLinearizability(historyOf(operations)), []));

for (const [name, operations] of Object.entries(wrong))
  test(`wrong: ${name}`, () => {
    const violations = checkLinearizability(historyOf(operations));
    assert.notDeepEqual(violations, []);
    for (const { message } of violations) assert.ok(message.length > 20, message);
  });

test("the violation names the operations of which none can be next", () => {
  const stale = get([5, 6], "a", ["one", 1]);
  const [violation] = checkLinearizability(historyOf([created, update([3, 4], "a", "two", { from: 1, to: 2 }), stale]));
  assert.deepEqual(violation?.operations, [stale]);
  assert.equal(
    violation?.message,
    'while a has "two" at 2, none of these can be next: get of a by client-2 (server-2) from 5 to 6: ok at 1',
  );
});

test("what is too long to try is no right history", () => {
  const result = searchOrder(keyOperations("a", right["one after the other"]!), 1);
  assert.deepEqual(result, { kind: "undecided" });
});

test("histories of a store that is right are accepted, and rejected after each kind of change that makes them wrong", (t) => {
  const counts = { accepted: 0, rejected: 0 };
  const runs = propertyRuns(400);
  const tried = new Set<string>();
  for (let seed = 1; seed <= runs; seed++) {
    const history = runDouble({ seed, operations: 60 });
    assert.deepEqual(checkLinearizability(history), [], `seed ${seed}`);
    counts.accepted++;
    for (const [name, mutate] of Object.entries(wrongMutations)) {
      const changed = mutate(history, seededRandom(seed));
      if (changed === undefined) continue;
      assert.notDeepEqual(checkLinearizability(changed), [], `seed ${seed}: ${name}`);
      tried.add(name);
      counts.rejected++;
    }
  }
  assert.deepEqual([...tried].sort(), Object.keys(wrongMutations).sort());
  assert.ok(counts.rejected > runs * 7, `only ${counts.rejected} wrong ones`);
  t.diagnostic(`${counts.accepted} accepted, ${counts.rejected} rejected`);
});

test("10,000 operations of 10 clients", { timeout: hangMs }, () => {
  const history = runDouble({ seed: 1, operations: 10_000, clients: 10, keys: 10 });
  assert.deepEqual(checkLinearizability(history), []);
  const broken = runDouble({ seed: 1, operations: 10_000, clients: 10, keys: 10, bug: "stale-read" });
  const names = new Set(checkLinearizability(broken).map(({ name }) => name));
  assert.ok(names.has("not-linearizable") && !names.has("undecided"), [...names].join());
});
