import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../contract/manual-clock.ts";
import { plainEntry } from "../contract/model.ts";
import { storeContract } from "../contract/store-contract.ts";
import { put, remove, rev, writeAll } from "../contract/writes.ts";
import type { HistoryOptions } from "../engine/history-store.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { CompactedError, OutcomeUnknownError, type Store } from "../storage/store.ts";
import { createReplicaHost } from "./replica-host.ts";
import { openReplica } from "./replica-store.ts";

/** A copy with whose end the store ends. */
async function openBeside(options: HistoryOptions): Promise<Store> {
  const store = createMemoryStore(options);
  const host = createReplicaHost(store);
  const replica = openReplica(host.open().start, options);
  const end = replica[Symbol.asyncDispose].bind(replica);
  replica[Symbol.asyncDispose] = async () => {
    await end();
    host[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
  };
  return replica;
}

storeContract("a copy for another thread", openBeside, { runs: 20, ownsBuffers: false });

function several(copies: number) {
  const clock = manualClock();
  const store = createMemoryStore({ clock });
  const host = createReplicaHost(store);
  const opened = Array.from({ length: copies }, () => openReplica(host.open().start, { clock }));
  return {
    ...{ clock, store, host, copies: opened },
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one[Symbol.asyncDispose]();
      host[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const found = async (store: Store, key: string) =>
  plainEntry((await store.get(key)).entry as NonNullable<Awaited<ReturnType<Store["get"]>>["entry"]>);

test("a read sees what was acknowledged, without a turn of the event loop between", async () => {
  await using all = several(2);
  const { store, copies } = all;
  const seen: unknown[] = [];
  for (let i = 0; i < 50; i++) {
    await store.write(put("/a", String(i), i === 0 ? "absent" : i + 1));
    // Microtasks alone: no message has been handed out by itself.
    seen.push(...(await Promise.all(copies.map((one) => found(one, "/a")))).map(({ value }) => value));
  }
  assert.deepEqual(seen, Array.from({ length: 50 }, (_, i) => [String(i), String(i)]).flat());
});

test("what is drained by a read reaches subscribers in order, also those that read", async () => {
  await using all = several(1);
  const { store, copies } = all;
  const [copy] = copies as [Store];
  const batches: [number, number][] = [];
  copy.subscribe("/", { after: copy.revision }, ({ revision, events }) => {
    batches.push([revision, events.length]);
    copy.freshenNow?.();
  });
  await writeAll(store, [put("/a", "1", "absent"), put("/b", "1", "absent"), remove("/a", 2)]);
  assert.deepEqual(batches, []);
  copy.freshenNow?.();
  assert.deepEqual(batches, [
    [2, 1],
    [3, 1],
    [4, 1],
  ]);
});

test("one writer wins, wherever the others are, and each is told by whom it was beaten", async () => {
  await using all = several(3);
  const { store, copies } = all;
  const stores = [store, ...copies];
  const results = await Promise.all(stores.map((one, i) => one.write(put("/a", String(i), "absent"), { user: `user-${i}` })));
  const winner = results.findIndex(({ ok }) => ok);
  assert.equal(results.filter(({ ok }) => ok).length, 1);
  for (const [i, result] of results.entries())
    if (!result.ok) assert.equal(Buffer.from(result.actual?.value ?? []).toString(), String(winner), `writer ${i}`);
  for (const one of stores) {
    await one.get("/a");
    assert.deepEqual(
      (await one.history("/a")).map(({ note, at }) => [note?.user, at]),
      [[`user-${winner}`, all.clock.now()]],
    );
  }
});

test("a copy begins with the history, and forgets what the store forgets", async () => {
  const clock = manualClock();
  await using store = createMemoryStore({ clock });
  await writeAll(store, [put("/a", "1", "absent"), put("/b", "1", "absent"), put("/a", "2", 2), remove("/b", 3), put("/c", "", "absent")]);
  await store.compact(rev(3));
  using host = createReplicaHost(store);
  await using copy = openReplica(host.open().start, { clock });
  assert.deepEqual([copy.revision, copy.compacted], [6, 3]);
  for (const at of [3, 4, 5, 6])
    assert.deepEqual(
      (await copy.list("/", { at: rev(at) })).entries.map(plainEntry),
      (await store.list("/", { at: rev(at) })).entries.map(plainEntry),
    );
  assert.deepEqual(copy.events("/", { after: rev(3), limit: 10 }).events.length, 3);
  await copy.compact(rev(5));
  assert.equal(store.compacted, 5);
  await assert.rejects(copy.get("/a", { at: rev(4) }), CompactedError);
});

test("all copies have the bytes of one memory", async () => {
  await using all = several(2);
  const [one, other] = all.copies as [Store, Store];
  await one.write(put("/a", "value", "absent"));
  const buffers = await Promise.all([all.store, one, other].map(async (each) => (await each.get("/a")).entry?.value));
  const [first] = buffers as [Uint8Array];
  assert.ok(first.buffer instanceof SharedArrayBuffer);
  first[0] = "V".charCodeAt(0);
  assert.deepEqual(
    buffers.map((bytes) => Buffer.from(bytes ?? []).toString()),
    ["Value", "Value", "Value"],
  );
});

test("memory of values is bounded where a few of each slab stay", async () => {
  const clock = manualClock();
  await using store = createMemoryStore({ clock, historyRevisions: 10, historyMs: 0 });
  using host = createReplicaHost(store);
  await using copy = openReplica(host.open({ maxBehind: 100_000 }).start, { clock });
  const text = "x".repeat(1_000);
  let staying = 0;
  for (let i = 0; i < 60_000; i++) {
    // Every fiftieth stays, the others are written over.
    const stays = i % 50 === 0;
    const key = stays ? `/stays/${i}` : "/changes";
    const { entry } = await store.get(key);
    await store.write(put(key, `${i} ${text}`, entry?.modified ?? "absent"));
    if (stays) staying++;
  }
  const { allocated, live } = host.size;
  assert.ok(live < (staying + 20) * 1_020, `${live} bytes are used`);
  assert.ok(allocated <= 2 * live + 10 * 1024 * 1024, `${allocated} bytes are allocated`);
  const { entries } = await copy.list("/stays/");
  assert.equal(entries.length, staying);
  for (const { key, value } of entries) assert.equal(Buffer.from(value).toString(), `${key.slice("/stays/".length)} ${text}`);
});

test("what is under way when the store's thread ends may have been written", async () => {
  const clock = manualClock();
  const host = createReplicaHost(createMemoryStore({ clock }));
  const opened = host.open();
  const copy = openReplica(opened.start, { clock });
  const writing = copy.write(put("/a", "1", "absent"));
  host[Symbol.dispose]();
  await assert.rejects(writing, OutcomeUnknownError);
  await copy[Symbol.asyncDispose]();
});

test("a copy that does not take what it is sent is given up, and the others go on", async () => {
  await using all = several(1);
  let times = 0;
  const { start } = all.host.open({ maxBehind: 3, onBehind: () => times++ });
  for (let i = 1; i <= 5; i++) await all.store.write(put(`/${i}`, "", "absent"));
  assert.equal(times, 1);
  const stuck = openReplica(start, all);
  const fresh = stuck.get("/5").then(
    () => "read",
    ({ name }: Error) => name,
  );
  assert.equal(await fresh, "StorageError");
  assert.equal((await (all.copies[0] as Store).get("/5")).entry?.modified, 6);
  await stuck[Symbol.asyncDispose]();
});

test("a store that others share has no copies", async () => {
  const { createSharedMemory } = await import("../testing/shared-memory.ts");
  await using store = createSharedMemory().open({ clock: manualClock() });
  assert.throws(() => createReplicaHost(store), TypeError);
});
