import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { suite, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import fc from "fast-check";
import { manualClock } from "../contract/manual-clock.ts";
import { assertSameHistory, bytesOf, Model } from "../contract/model.ts";
import { prefixes, steps, takeSteps } from "../contract/property-contract.ts";
import type { Revision, Store } from "../storage/store.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
const rev = (n: number) => n as Revision;

/** Updates ten keys, round after round. */
async function update(store: Store, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const { entry } = await store.get(`/${i}`);
        await store.write({ op: "put", key: `/${i}`, value: new Uint8Array(1_500).fill(round), expect: entry?.modified ?? "absent" });
      }),
    );
  }
}

/** What a crash right now would leave behind. */
function copyFiles(from: string, to: string): void {
  for (const suffix of ["", "-wal"]) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

suite("a SQLite store, opened again", () => {
  let files = 0;

  test("has the same revisions, entries and events, after a clean end as after a crash", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(steps, fc.boolean()), { minLength: 1, maxLength: 3 }), async (lives) => {
        const clock = manualClock();
        let path = folder(`reopen-${files++}.db`);
        const model = new Model(1);
        for (const [todo, crashes] of lives) {
          await using store = await openSqliteStore({ clock, path });
          await assertSameHistory(store, model, prefixes, 10);
          await takeSteps(store, model, todo);
          if (!crashes) continue;
          const copy = folder(`reopen-${files++}.db`);
          copyFiles(path, copy);
          path = copy;
        }
        await using store = await openSqliteStore({ clock, path });
        await assertSameHistory(store, model, prefixes, 10);
      }),
      { numRuns: 10, seed: 3 },
    );
  });

  test("does not mind that a commit overtakes a compaction", async () => {
    const options = { clock: manualClock(), path: folder("overlap.db") };
    {
      await using store = await openSqliteStore(options);
      await update(store, 160);
      const compaction = store.compact(rev(1_500));
      await update(store, 1);
      await compaction;
    }
    await using store = await openSqliteStore(options);
    assert.deepEqual([store.revision, store.compacted], [1_611, 1_500]);
  });

  test("never goes back to an earlier revision, even when nothing is left", async () => {
    const options = { clock: manualClock(), path: folder("counter.db") };
    {
      await using store = await openSqliteStore(options);
      await store.write({ op: "put", key: "/a", value: bytesOf("1"), expect: "absent" });
      await store.write({ op: "delete", key: "/a", expect: rev(2) });
      await store.compact(rev(3));
    }
    await using store = await openSqliteStore(options);
    assert.deepEqual([store.revision, store.compacted], [3, 3]);
    const result = await store.write({ op: "put", key: "/a", value: bytesOf("2"), expect: "absent" });
    assert.deepEqual([result.ok, result.revision], [true, 4]);
  });

  test("still knows who wrote", async () => {
    const options = { clock: manualClock(5_000), path: folder("notes.db") };
    const note = { user: "alice", manager: "kubectl", userAgent: "kubectl/1.36", requestId: "r1", readAt: "1" };
    {
      await using store = await openSqliteStore(options);
      await store.write({ op: "put", key: "/a", value: bytesOf("1"), expect: "absent" }, note);
    }
    await using store = await openSqliteStore(options);
    const [change] = await store.history("/a");
    assert.deepEqual([change?.revision, change?.at, change?.note], [2, 5_000, note]);
  });

  test("drops what the window no longer covers", async () => {
    const clock = manualClock();
    const options = { clock, path: folder("window.db"), historyMs: 60_000, historyRevisions: 2 };
    {
      await using store = await openSqliteStore(options);
      for (let i = 0; i < 10; i++) await store.write({ op: "put", key: `/${i}`, value: bytesOf(""), expect: "absent" });
    }
    clock.advance(100_000);
    await using store = await openSqliteStore(options);
    assert.deepEqual([store.revision, store.compacted], [11, 9]);
  });
});

test("an open SQLite store does not keep its process alive, a write does", () => {
  const program = (path: string, then: string) => `
    import { systemClock } from "@coxswain/machinery";
    import { openSqliteStore } from ${JSON.stringify(new URL("./sqlite-store.ts", import.meta.url))};
    const store = await openSqliteStore({ clock: systemClock, path: ${JSON.stringify(path)} });
    ${then}`;
  const write = `store.write({ op: "put", key: "/a", value: new Uint8Array(1), expect: "absent" }).then(({ revision }) => process.stdout.write(String(revision)));`;
  const run = (name: string, then: string) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", program(folder(name), then)], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      timeout: hangMs,
    });
  assert.deepEqual([run("idle-process.db", "").status, run("writing-process.db", write).stdout], [0, "2"]);
});

suite("the file of a SQLite store", () => {
  const sizes = (path: string) => statSync(path).size + (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0);

  test("stays bounded under endless updates", async () => {
    const path = folder("bounded.db");
    await using store = await openSqliteStore({ clock: manualClock(), path, historyMs: 0, historyRevisions: 500 });
    await update(store, 1_000);
    const early = statSync(path).size;
    await update(store, 1_500);
    assert.ok(statSync(path).size < early * 1.2, `${early} became ${statSync(path).size} bytes`);
    assert.ok(sizes(path) < 16 * 1024 * 1024, `${sizes(path)} bytes`);
  });

  test("is compacted also when writes have stopped", async () => {
    const clock = manualClock();
    const path = folder("idle.db");
    {
      await using store = await openSqliteStore({ clock, path, historyMs: 60_000, historyRevisions: 10 });
      await update(store, 20);
      clock.advance(120_000);
    }
    await using store = await openSqliteStore({ clock, path });
    assert.deepEqual([store.revision, store.compacted], [201, 191]);
  });

  test("is for its owner alone", { skip: process.platform === "win32" && "Windows has no file modes" }, async () => {
    const path = folder("private.db");
    await using store = await openSqliteStore({ clock: manualClock(), path });
    await store.write({ op: "put", key: "/a", value: bytesOf("secret"), expect: "absent" });
    for (const suffix of ["", "-wal", ".lock"]) assert.equal(statSync(path + suffix).mode & 0o077, 0, suffix);
  });
});
