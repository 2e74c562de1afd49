import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../contract/manual-clock.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import type { Revision, Store } from "../storage/store.ts";

async function put(store: Store, key: string, bytes: number): Promise<void> {
  const { entry } = await store.get(key);
  const written = await store.write({ op: "put", key, value: new Uint8Array(bytes), expect: entry?.modified ?? "absent" });
  assert.ok(written.ok);
}

test("what is retained is neither dropped by bounds nor compacted, until it is recorded", async () => {
  await using store = createMemoryStore({ clock: manualClock(), historyMs: 0, historyRevisions: 2 });
  let recorded = store.revision;
  const retained = store.retain?.(() => recorded);
  for (let i = 0; i < 10; i++) await put(store, "/a", 10);
  assert.equal(store.compacted, 1);
  await store.compact(store.revision);
  assert.equal(store.compacted, 1);
  recorded = (store.revision - 5) as Revision;
  await store.compact(store.revision);
  assert.equal(store.compacted, recorded);
  assert.equal(store.changes?.({ after: recorded, limit: 100 }).changes.length, 5);
  retained?.[Symbol.dispose]();
  await store.compact(store.revision);
  assert.equal(store.compacted, store.revision);
});

test("what is retained takes no more than twice the memory of the window", async () => {
  const historyBytes = 100_000;
  await using store = createMemoryStore({ clock: manualClock(), historyMs: 600_000, historyRevisions: 1_000, historyBytes });
  using _retained = store.retain?.(() => 1 as Revision);
  for (let i = 0; i < 40; i++) await put(store, "/a", 10_000);
  const kept = store.revision - store.compacted;
  assert.ok(kept > 10 && kept < 20, `${kept} are kept`);
});
