import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Write } from "../storage/store.ts";
import { manualClock } from "./manual-clock.ts";
import { bytesOf, found, plainEntry } from "./model.ts";
import { testSeveralEntries } from "./several-entries-contract.ts";
import type { DriverTraits, OpenStore } from "./store-contract.ts";
import { put, putWhile, remove, rev, writeAll, writeInOrder } from "./writes.ts";

/** An empty store is at revision 1, so the first write makes revision 2. */
const cases: readonly { name: string; before: readonly Write[]; op: Write; ok: boolean; revision: number; value: string | undefined }[] = [
  { name: "creates what is absent", before: [], op: put("/a", "1", "absent"), ok: true, revision: 2, value: "1" },
  {
    name: "does not create what is there",
    before: [put("/a", "1", "absent")],
    op: put("/a", "2", "absent"),
    ok: false,
    revision: 2,
    value: "1",
  },
  { name: "updates the revision it expects", before: [put("/a", "1", "absent")], op: put("/a", "2", 2), ok: true, revision: 3, value: "2" },
  {
    name: "does not update another revision",
    before: [put("/a", "1", "absent"), put("/a", "2", 2)],
    op: put("/a", "3", 2),
    ok: false,
    revision: 3,
    value: "2",
  },
  { name: "does not update what is absent", before: [], op: put("/a", "1", 1), ok: false, revision: 1, value: undefined },
  {
    name: "compares with the key's revision, not the store's",
    before: [put("/a", "1", "absent"), put("/b", "1", "absent")],
    op: put("/a", "2", 2),
    ok: true,
    revision: 4,
    value: "2",
  },
  {
    name: "deletes the revision it expects",
    before: [put("/a", "1", "absent")],
    op: remove("/a", 2),
    ok: true,
    revision: 3,
    value: undefined,
  },
  {
    name: "does not delete another revision",
    before: [put("/a", "1", "absent"), put("/a", "2", 2)],
    op: remove("/a", 2),
    ok: false,
    revision: 3,
    value: "2",
  },
  { name: "does not delete what is absent", before: [], op: remove("/a", 1), ok: false, revision: 1, value: undefined },
  {
    name: "creates again what was deleted",
    before: [put("/a", "1", "absent"), remove("/a", 2)],
    op: put("/a", "2", "absent"),
    ok: true,
    revision: 4,
    value: "2",
  },
  {
    name: "writes while another entry is as it was",
    before: [put("/b", "1", "absent")],
    op: putWhile("/a", "1", { key: "/b", modified: rev(2) }),
    ok: true,
    revision: 3,
    value: "1",
  },
  {
    name: "does not write when another entry has changed",
    before: [put("/b", "1", "absent"), put("/b", "2", 2)],
    op: putWhile("/a", "1", { key: "/b", modified: rev(2) }),
    ok: false,
    revision: 3,
    value: undefined,
  },
  {
    name: "does not write when another entry has gone",
    before: [put("/b", "1", "absent"), remove("/b", 2)],
    op: putWhile("/a", "1", { key: "/b", modified: rev(2) }),
    ok: false,
    revision: 3,
    value: undefined,
  },
  { name: "keeps an empty value", before: [], op: put("/a", "", "absent"), ok: true, revision: 2, value: "" },
];

export function writeContract(driver: string, open: OpenStore, traits: Required<DriverTraits>): void {
  suite(`${driver}: writes`, { concurrency: true }, () => {
    testConditions(open, traits);
    testSeveralEntries(open, traits);
    testKeysAndValues(open, traits);
  });
}

function testConditions(open: OpenStore, traits: Required<DriverTraits>): void {
  for (const { name, before, op, ok, revision, value } of cases)
    test(name, async () => {
      await using store = await open({ clock: manualClock() });
      await writeAll(store, before);
      const result = await store.write(op);
      assert.deepEqual([result.ok, result.revision, store.revision], [ok, revision, revision]);
      const { entry } = await store.get("/a");
      assert.equal(entry && plainEntry(entry).value, value);
      assert.equal(result.ok ? result.entry : result.actual, entry);
    });

  test("gives an entry the revisions of its creation and its last change", async () => {
    await using store = await open({ clock: manualClock() });
    await writeAll(store, [put("/b", "", "absent"), put("/a", "1", "absent"), put("/a", "2", 3)]);
    assert.deepEqual(plainEntry(found((await store.get("/a")).entry)), { key: "/a", value: "2", created: 3, modified: 4 });
  });

  test("lets exactly one of many concurrent writers win, and returns the current entry to the others", async () => {
    await using store = await open({ clock: manualClock() });
    await store.write(put("/a", "0", "absent"));
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => store.write(put("/a", `${i}`, 2))));
    const [winner] = results.filter((result) => result.ok);
    assert.deepEqual([results.filter((result) => result.ok).length, store.revision], [1, 3]);
    for (const result of results) if (!result.ok) assert.equal(result.actual, winner?.ok && winner.entry);
  });

  test("decides concurrent writes in the order in which they came", async () => {
    await using store = await open({ clock: manualClock() });
    const ops = [
      put("/a", "1", "absent"),
      put("/a", "2", 2),
      remove("/a", 3),
      put("/a", "3", 3),
      put("/a", "4", "absent"),
      put("/b", "1", "absent"),
    ];
    const results = await writeInOrder(store, ops, traits);
    assert.deepEqual(
      results.map(({ ok, revision }) => [ok, revision]),
      [
        [true, 2],
        [true, 3],
        [true, 4],
        [false, 4],
        [true, 5],
        [true, 6],
      ],
    );
  });
}

function testKeysAndValues(open: OpenStore, traits: Required<DriverTraits>): void {
  test("decides on other entries as the writes before have left them", async () => {
    await using store = await open({ clock: manualClock() });
    await writeAll(store, [put("/ns/a", "", "absent"), put("/ns/b", "", "absent")]);
    const a = { key: "/ns/a", modified: rev(2) };
    const b = { key: "/ns/b", modified: rev(3) };
    const ops = [putWhile("/1", "", a, b), remove("/ns/b", 3), putWhile("/2", "", a, b), putWhile("/3", "", a), putWhile("/1", "", b)];
    const results = await writeInOrder(store, ops, traits);
    assert.deepEqual(
      results.map((result) => (result.ok ? result.revision : result.failed)),
      [4, 5, b, 6, b],
    );
  });

  test("keeps a slice of a larger buffer in another one", async () => {
    await using store = await open({ clock: manualClock() });
    const slab = bytesOf("before|value|after");
    await store.write({ op: "put", key: "/a", value: slab.subarray(7, 12), expect: "absent" });
    slab.fill(0);
    const { value } = found((await store.get("/a")).entry);
    assert.equal(new TextDecoder().decode(value), "value");
    if (traits.ownsBuffers) assert.equal(value.buffer.byteLength, 5);
    else assert.notEqual(value.buffer, slab.buffer);
  });

  test("keeps with the entry what the writer derived", async () => {
    await using store = await open({ clock: manualClock() });
    const derived = { parsed: true };
    await store.write({ op: "put", key: "/a", value: bytesOf("1"), expect: "absent", derived });
    assert.equal((await store.get("/a")).entry?.derived, derived);
  });

  test("refuses a key that cannot be kept, and only that", async () => {
    await using store = await open({ clock: manualClock() });
    const [broken, zero] = await Promise.allSettled([store.write(put("/\ud800", "1", "absent")), store.write(put("/a\0b", "2", "absent"))]);
    assert.ok(broken.status === "rejected" && broken.reason instanceof TypeError);
    assert.ok(zero.status === "fulfilled" && zero.value.ok);
  });

  test("refuses writes once it is closed", async () => {
    const store = await open({ clock: manualClock() });
    const last = store.write(put("/a", "1", "absent"));
    await store[Symbol.asyncDispose]();
    assert.equal((await last).ok, true);
    await assert.rejects(store.write(put("/b", "1", "absent")), { name: "StorageError", message: "the store is closed" });
    await store[Symbol.asyncDispose]();
  });
}
