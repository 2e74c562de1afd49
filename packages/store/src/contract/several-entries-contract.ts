/** One write that changes, creates and deletes several entries: all of them or none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Write } from "../storage/store.ts";
import { manualClock } from "./manual-clock.ts";
import { bytesOf, plainEntry, plainEvent } from "./model.ts";
import type { DriverTraits, OpenStore } from "./store-contract.ts";
import { put, putWhile, remove, rev, writeAll, writeInOrder } from "./writes.ts";

const also = (key: string, value: string, expect: number) => ({ key, value: bytesOf(value), expect: rev(expect) });

export function testSeveralEntries(open: OpenStore, traits: Required<DriverTraits>): void {
  const { revisionPerEntry } = traits;
  testCreatedAndDeleted(open, traits);
  /** Of the entry that goes along, and of the one that is written. */
  const [first, second] = revisionPerEntry ? [3, 4] : [3, 3];
  const both = (expect: number, alsoExpect: number): Write => ({
    op: "put",
    key: "/a",
    value: bytesOf("a"),
    expect: expect === 0 ? "absent" : rev(expect),
    also: [also("/b", "2", alsoExpect)],
  });

  test("changes another entry with the one that it writes, at once", async () => {
    await using store = await open({ clock: manualClock() });
    await store.write(put("/b", "1", "absent"));
    const batches: [number, readonly string[]][] = [];
    store.subscribe("/", { after: store.revision }, ({ revision, events }) => {
      // Without events it marks progress, which may come at any time.
      if (events.length > 0) batches.push([revision, events.map((event) => plainEvent(event).key)]);
    });
    const result = await store.write(both(0, 2));
    assert.deepEqual([result.ok, result.revision, store.revision], [true, second, second]);
    const { entries } = await store.list("/");
    assert.deepEqual(entries.map(plainEntry), [
      { key: "/a", value: "a", created: second, modified: second },
      { key: "/b", value: "2", created: 2, modified: first },
    ]);
    assert.deepEqual(batches, [[second, ["/b", "/a"]]]);
  });

  test("changes neither where one of them is not as expected", async () => {
    await using store = await open({ clock: manualClock() });
    await writeAll(store, [put("/b", "1", "absent"), put("/b", "1", 2)]);
    const stale = await store.write(both(0, 2));
    assert.deepEqual([stale.ok, store.revision, !stale.ok && stale.failed], [false, 3, { key: "/b", modified: 2 }]);
    const missing = await store.write(both(1, 3));
    assert.deepEqual([missing.ok, store.revision, !missing.ok && missing.failed], [false, 3, undefined]);
  });

  test("writes on condition that another entry is absent", async () => {
    await using store = await open({ clock: manualClock() });
    const absent = { key: "/b", modified: "absent" } as const;
    const first = await store.write(putWhile("/a", "1", absent));
    await store.write(put("/b", "1", "absent"));
    const second = await store.write(putWhile("/c", "1", absent));
    assert.deepEqual([first.ok, second.ok, !second.ok && second.failed], [true, false, absent]);
    const deletion = await store.write({ op: "delete", key: "/a", expect: rev(2), compare: [absent] });
    assert.deepEqual([deletion.ok, !deletion.ok && deletion.failed], [false, absent]);
  });

  test("gives each of many concurrent writers that change one entry their turn or says that it has changed", async () => {
    await using store = await open({ clock: manualClock() });
    await store.write(put("/b", "1", "absent"));
    const ops = Array.from({ length: 20 }, (_, i): Write => ({ ...(both(0, 2) as Extract<Write, { op: "put" }>), key: `/a/${i}` }));
    const results = await Promise.all(ops.map((op) => store.write(op)));
    assert.deepEqual([results.filter(({ ok }) => ok).length, store.revision, (await store.list("/a/")).entries.length], [1, second, 1]);
  });

  test("takes no key twice", async () => {
    await using store = await open({ clock: manualClock() });
    await store.write(put("/a", "1", "absent"));
    const twice: Write = { op: "put", key: "/a", value: bytesOf("2"), expect: rev(2), also: [also("/a", "3", 2)] };
    await assert.rejects(store.write(twice), TypeError);
    assert.equal(store.revision, 2);
  });
}

function testCreatedAndDeleted(open: OpenStore, traits: Required<DriverTraits>): void {
  const { revisionPerEntry } = traits;
  /** `/b` is changed and `/c` deleted with `/a`, `/d` comes. */
  const many = (a: Write): Write => ({
    ...a,
    also: [also("/b", "2", 2), { key: "/c", expect: rev(3) }, { key: "/d", value: bytesOf("d"), expect: "absent" }],
  });
  const start = [put("/b", "1", "absent"), put("/c", "1", "absent"), put("/a", "1", "absent")];

  for (const [name, op] of [
    ["put", put("/a", "2", 4)],
    ["deletion", remove("/a", 4)],
  ] as const)
    test(`creates and deletes other entries with a ${name}, each with its event`, async () => {
      await using store = await open({ clock: manualClock() });
      await writeAll(store, start);
      const events: unknown[] = [];
      store.subscribe("/", { after: store.revision }, (batch) => events.push(...batch.events.map(plainEvent)));
      const at = (i: number): number => (revisionPerEntry ? 5 + i : 5);
      const result = await store.write(many(op));
      assert.deepEqual([result.ok, result.revision, store.revision], [true, at(3), at(3)]);
      const b = { key: "/b", value: "2", created: 2, modified: at(0) };
      const d = { key: "/d", value: "d", created: at(2), modified: at(2) };
      const a = name === "put" ? { key: "/a", value: "2", created: 4, modified: at(3) } : undefined;
      assert.deepEqual((await store.list("/")).entries.map(plainEntry), [...(a === undefined ? [] : [a]), b, d]);
      const before = (key: string, revision: number) => ({ key, value: "1", created: revision, modified: revision });
      assert.deepEqual(events, [
        { key: "/b", revision: at(0), entry: b, previous: before("/b", 2) },
        { key: "/c", revision: at(1), entry: undefined, previous: before("/c", 3) },
        { key: "/d", revision: at(2), entry: d, previous: undefined },
        { key: "/a", revision: at(3), entry: a, previous: before("/a", 4) },
      ]);
    });

  const unmet = [
    { name: "what is to be created is there", before: put("/d", "1", "absent"), failed: { key: "/d", modified: "absent" } },
    { name: "what is to be deleted has changed", before: put("/c", "2", 3), failed: { key: "/c", modified: 3 } },
    { name: "what is to be deleted has gone", before: remove("/c", 3), failed: { key: "/c", modified: 3 } },
  ];
  for (const { name, before, failed } of unmet)
    test(`neither puts nor deletes where ${name}`, async () => {
      await using store = await open({ clock: manualClock() });
      await writeAll(store, [...start, before]);
      for (const op of [put("/a", "2", 4), remove("/a", 4)]) {
        const result = await store.write(many(op));
        assert.deepEqual([result.ok, store.revision, !result.ok && result.failed], [false, 5, failed]);
      }
    });

  test("decides on what is created and deleted along as the writes before have left it", async () => {
    await using store = await open({ clock: manualClock() });
    await store.write(put("/c", "1", "absent"));
    const create = (key: string): Write => ({ ...put(key, "", "absent"), also: [{ key: "/c", value: bytesOf(key), expect: "absent" }] });
    const end = (key: string): Write => ({ ...put(key, "", "absent"), also: [{ key: "/c", expect: rev(2) }] });
    const ops = [create("/1"), end("/2"), end("/3"), create("/4"), create("/5")];
    const results = await writeInOrder(store, ops, traits);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [false, true, false, true, false],
    );
  });
}
