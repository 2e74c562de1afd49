/** The checks, all of them, on what the test double records: nothing without a bug, and each bug is found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHistory } from "./check-history.ts";
import { runDouble } from "./double.ts";
import { type Bug, bugs } from "./double-store.ts";

const operations = 200;

test("200 seeds without a bug: no violation", () => {
  const done = new Set<string>();
  for (let seed = 1; seed <= 200; seed++) {
    const history = runDouble({ seed, operations });
    assert.deepEqual(checkHistory(history), [], `seed ${seed}`);
    for (const { do: verb, outcome } of history.operations)
      done.add(`${verb} ${outcome.kind === "failed" ? outcome.reason : outcome.kind}`);
    for (const item of history.watches.flatMap(({ items }) => items)) done.add(item.kind === "end" ? item.by : item.kind);
  }
  // Else the rest would show nothing.
  for (const what of ["create", "update", "patch", "delete"]) assert.ok(done.has(`${what} ok`) && done.has(`${what} unknown`), what);
  for (const what of ["get ok", "get NotFound", "list ok", "create AlreadyExists", "update Conflict", "update NotFound", "delete Conflict"])
    assert.ok(done.has(what), what);
  for (const what of ["event", "bookmark", "error", "finished", "stopped", "closed"]) assert.ok(done.has(what), what);
});

/** The check that has to find it, whichever others do as well. */
const foundAs: Readonly<Record<Bug, string>> = {
  "stale-read": "not-linearizable",
  "torn-list": "list-of-no-revision",
  "watch-skips-compacted": "reliable",
  "lost-delete": "reliable",
  "revision-goes-back": "revision-of-two-writes",
  "duplicate-on-reconnect": "resumable",
  "progress-ahead": "bookmarkable",
  "retry-reports-failure": "failed-write-took-effect",
  "stale-precondition": "not-linearizable",
};

for (const bug of bugs)
  test(`${bug} is found within 20 seeds, as ${foundAs[bug]}`, (t) => {
    const seeds = Array.from({ length: 20 }, (_, i) => i + 1);
    const found = seeds.filter((seed) => checkHistory(runDouble({ seed, operations, bug })).some(({ name }) => name === foundAs[bug]));
    assert.ok(found.length > 0, "never");
    t.diagnostic(`${found.length} of ${seeds.length} seeds, the first ${found[0]}`);
  });

test("one seed, one history", () => {
  assert.deepEqual(runDouble({ seed: 7, operations }), runDouble({ seed: 7, operations }));
  assert.notDeepEqual(runDouble({ seed: 7, operations }), runDouble({ seed: 8, operations }));
});
