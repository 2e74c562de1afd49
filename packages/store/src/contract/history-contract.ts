import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Revision, Store } from "../storage/store.ts";
import { manualClock } from "./manual-clock.ts";
import { bytesOf, found, plainEntry } from "./model.ts";
import type { OpenStore } from "./store-contract.ts";

const rev = (n: number) => n as Revision;

/** Creates `/a/0`, `/a/1`, …, one revision each. */
async function fill(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await store.write({ op: "put", key: `/a/${i}`, value: bytesOf(`${i}`), expect: "absent" });
}

/** Writes `/hot` so often. */
async function overwrite(store: Store, times: number, value = "x"): Promise<void> {
  for (let i = 0; i < times; i++) {
    const expect = (await store.get("/hot")).entry?.modified ?? "absent";
    await store.write({ op: "put", key: "/hot", value: bytesOf(value), expect });
  }
}

const compacted = { name: "CompactedError" };
const future = { name: "FutureRevisionError" };

export function historyContract(driver: string, open: OpenStore): void {
  suite(`${driver}: history`, { concurrency: true }, () => {
    testReads(open);
    testChangesOfKeys(open);
    testCompaction(open);
  });
}

function testReads(open: OpenStore): void {
  test("reads the pages of one state, however it changes meanwhile", async () => {
    await using store = await open({ clock: manualClock() });
    await fill(store, 5);
    const first = await store.list("/a/", { limit: 2 });
    await store.write({ op: "delete", key: "/a/2", expect: rev(4) });
    await store.write({ op: "put", key: "/a/22", value: bytesOf(""), expect: "absent" });
    const second = await store.list("/a/", { at: first.revision, after: "/a/1", limit: 2 });
    assert.deepEqual([first.remaining, second.remaining, second.revision], [3, 1, 6]);
    assert.deepEqual(
      second.entries.map(({ key }) => key),
      ["/a/2", "/a/3"],
    );
  });

  test("takes a prefix literally, whatever its last character", async () => {
    await using store = await open({ clock: manualClock() });
    const keys = ["/a", "/a-b", "/a/b", "/a/\u{ffff}", "/a/\u{ffff}x", "/a0", "/b"];
    for (const key of keys) await store.write({ op: "put", key, value: bytesOf(""), expect: "absent" });
    for (const prefix of ["", "/", "/a", "/a/", "/a/\u{ffff}", "/a0", "/c"]) {
      const { entries } = await store.list(prefix);
      assert.deepEqual(
        entries.map(({ key }) => key),
        keys.filter((key) => key.startsWith(prefix)),
      );
    }
  });

  test("says what is forgotten and what has not happened", async () => {
    await using store = await open({ clock: manualClock() });
    await fill(store, 5);
    await store.compact(rev(4));
    assert.equal(store.compacted, 4);
    await assert.rejects(store.get("/a/0", { at: rev(3) }), compacted);
    await assert.rejects(store.list("/a/", { at: rev(3) }), compacted);
    await assert.rejects(store.history("/a/0", { after: rev(3) }), compacted);
    assert.throws(() => store.subscribe("/a/", { after: rev(3) }, () => {}), compacted);
    assert.equal((await store.list("/a/", { at: rev(4) })).entries.length, 3);
    await assert.rejects(store.get("/a/0", { at: rev(7) }), future);
    await assert.rejects(store.list("/a/", { at: rev(7) }), future);
    await assert.rejects(store.compact(rev(7)), future);
    assert.throws(() => store.subscribe("/a/", { after: rev(7) }, () => {}), future);
    await store.compact(rev(2));
    assert.equal(store.compacted, 4);
  });
}

function testChangesOfKeys(open: OpenStore): void {
  test("remembers who changed a key, when and how", async () => {
    const clock = manualClock(1_000);
    await using store = await open({ clock });
    await store.write({ op: "put", key: "/a", value: bytesOf("1"), expect: "absent" }, { user: "alice", manager: "kubectl" });
    clock.advance(50);
    await store.write({ op: "put", key: "/b", value: bytesOf("1"), expect: "absent" });
    await store.write({ op: "put", key: "/a", value: bytesOf("2"), expect: rev(2) }, { user: "bob", readAt: "2" });
    await store.write({ op: "delete", key: "/a", expect: rev(4) });
    const changes = await store.history("/a");
    assert.deepEqual(
      changes.map(({ entry, ...rest }) => ({ ...rest, value: entry && plainEntry(entry).value })),
      [
        { revision: 2, at: 1_000, note: { user: "alice", manager: "kubectl" }, value: "1" },
        { revision: 4, at: 1_050, note: { user: "bob", readAt: "2" }, value: "2" },
        { revision: 5, at: 1_050, note: undefined, value: undefined },
      ],
    );
    assert.deepEqual(
      (await store.history("/a", { after: rev(4) })).map(({ revision }) => revision),
      [5],
    );
  });

  test("finds a key's changes among those of others, through deletions, and the last of them", async () => {
    await using store = await open({ clock: manualClock() });
    const expected: Revision[] = [];
    let at: Revision | "absent" = "absent";
    for (let i = 0; i < 40; i++) {
      await overwrite(store, i % 3);
      const gone: boolean = i % 7 === 6 && at !== "absent";
      const { revision } = await store.write(
        gone ? { op: "delete", key: "/a", expect: at as Revision } : { op: "put", key: "/a", value: bytesOf(`${i}`), expect: at },
      );
      expected.push(revision);
      at = gone ? "absent" : revision;
    }
    const revisions = async (opts: { after?: Revision; last?: number }) =>
      (await store.history("/a", opts)).map(({ revision }) => revision);
    assert.deepEqual(await revisions({}), expected);
    assert.deepEqual(await revisions({ last: 9 }), expected.slice(-9));
    for (const [i, after] of expected.entries()) {
      assert.deepEqual(await revisions({ after }), expected.slice(i + 1));
      assert.deepEqual(await revisions({ after, last: 5 }), expected.slice(i + 1).slice(-5));
    }
    await store.write({ op: "delete", key: "/a", expect: at as Revision });
    assert.equal((await revisions({})).length, 41);
  });
}

function testCompaction(open: OpenStore): void {
  test("keeps what is young, and so many revisions whatever their age", async () => {
    const clock = manualClock();
    await using store = await open({ clock, historyMs: 60_000, historyRevisions: 3 });
    await fill(store, 10);
    clock.advance(59_000);
    await fill(store, 0);
    assert.equal(store.compacted, 1);
    await overwrite(store, 1);
    clock.advance(2_000);
    await overwrite(store, 1);
    assert.deepEqual([store.revision, store.compacted], [13, 10]);
    clock.advance(600_000);
    assert.deepEqual([store.revision, store.compacted], [13, 10]);
  });

  test("keeps no more bytes than it may, however young they are", async () => {
    await using store = await open({ clock: manualClock(), historyBytes: 100_000 });
    await overwrite(store, 60, "x".repeat(10_000));
    assert.ok(store.compacted > 45 && store.compacted < 60, `compacted ${store.compacted}`);
    assert.equal((await store.get("/hot")).entry?.value.byteLength, 10_000);
  });

  test("drops what was derived from an entry some time after it was superseded", async () => {
    await using store = await open({ clock: manualClock() });
    await overwrite(store, 1);
    const entry = found((await store.get("/hot")).entry);
    entry.derived = "parsed";
    await overwrite(store, 100);
    assert.equal(entry.derived, "parsed");
    await overwrite(store, 200);
    assert.equal(entry.derived, undefined);
  });
}
