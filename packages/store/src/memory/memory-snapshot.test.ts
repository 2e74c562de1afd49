import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ManualClock, manualClock } from "../contract/manual-clock.ts";
import type { Revision, Store } from "../storage/store.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function put(store: Store, key: string, value: string): Promise<void> {
  const { entry } = await store.get(key);
  await store.write({ op: "put", key, value: text(value), expect: entry?.modified ?? "absent" }, { user: value });
}

/** All that a reader of the store can find out. */
async function contentsOf(store: Store): Promise<object> {
  const revisions = Array.from({ length: store.revision - store.compacted + 1 }, (_, i) => (store.compacted + i) as Revision);
  const events: unknown[] = [];
  store.subscribe("", { after: store.compacted }, (batch) => void events.push(batch.events))[Symbol.dispose]();
  return {
    states: await Promise.all(revisions.map((at) => store.list("", { at }))),
    events,
    histories: await Promise.all(["/a", "/b", "/c"].map((key) => store.history(key))),
  };
}

test("two that come of one snapshot know all its history and nothing of each other", async () => {
  const clock = manualClock();
  await using first = createMemoryStore({ clock });
  await put(first, "/a", "1");
  await put(first, "/a", "2");
  const snapshot = first.snapshot();
  const before = await contentsOf(first);
  await using second = snapshot.open({ clock });
  await using third = snapshot.open({ clock });
  await put(first, "/a", "of the first");
  await put(second, "/b", "of the second");
  assert.deepEqual(await contentsOf(third), before);
  assert.equal((await second.get("/a")).entry?.modified, 3);
  assert.equal(second.revision, 4);
  assert.equal((await first.get("/b")).entry, undefined);
  const changes: (string | undefined)[] = [];
  second.subscribe("/", { after: 2 as Revision }, ({ events }) => {
    for (const event of events) changes.push(event.type === "put" ? new TextDecoder().decode(event.entry.value) : undefined);
  });
  assert.deepEqual(changes, ["2", "of the second"]);
});

test("a snapshot of an earlier revision is the store as it was then", async () => {
  const step = fc.record({ key: fc.constantFrom("/a", "/b", "/c"), gone: fc.boolean() });
  const scenario = async (steps: readonly { key: string; gone: boolean }[], share: number): Promise<void> => {
    const clock: ManualClock = manualClock();
    await using store = createMemoryStore({ clock, historyRevisions: 20, historyMs: 0 });
    const then: object[] = [];
    for (const [i, { key, gone }] of steps.entries()) {
      then[store.revision] = await contentsOf(store);
      await change(store, key, gone, String(i));
    }
    then[store.revision] = await contentsOf(store);
    const at = Math.max(store.compacted, Math.floor(share * store.revision)) as Revision;
    await using copy = store.snapshot({ at }).open({ clock });
    if (store.compacted === 1) assert.deepEqual(await contentsOf(copy), then[at]);
    assert.equal(copy.revision, at);
    assert.deepEqual(await copy.list(""), await store.list("", { at }));
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), fc.double({ min: 0.1, max: 1, noNaN: true }), scenario),
    {
      numRuns: 60,
    },
  );
});

async function change(store: MemoryStore, key: string, gone: boolean, value: string): Promise<void> {
  const { entry } = await store.get(key);
  if (gone && entry !== undefined) await store.write({ op: "delete", key, expect: entry.modified });
  else await put(store, key, value);
}
