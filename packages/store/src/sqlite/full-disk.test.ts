import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, suite, test } from "node:test";
import { manualClock } from "../contract/manual-clock.ts";
import type { Revision, Store, WriteResult } from "../storage/store.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const megabyte = 1024 * 1024;
let unmount = () => {};
after(() => unmount());
const disk = temporaryFolder()("disk");
const notMounted = mountSmallDisk();

/** A file system in memory, of four megabytes. Returns why there is none. */
function mountSmallDisk(): string | undefined {
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], { stdio: "pipe" });
  } catch (error) {
    return `a small tmpfs cannot be mounted here: ${String(error).split("\n")[1] ?? error}`;
  }
  unmount = () => execFileSync("umount", ["-l", disk]);
  return undefined;
}

/** Takes all but so many bytes. */
function leaveFree(bytes: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "rest"), new Uint8Array(bavail * bsize - bytes));
}

const create = (store: Store, key: string, bytes = 20_000): Promise<WriteResult> =>
  store.write({ op: "put", key, value: new Uint8Array(bytes).fill(120), expect: "absent" });

/** Writes, so many at once, until the disk is full for them; returns the keys that were acknowledged. */
async function fillDisk(store: Store, prefix: string, atOnce: number): Promise<string[]> {
  const written: string[] = [];
  for (let i = 0; i < 1_000; i += atOnce) {
    const keys = Array.from({ length: atOnce }, (_, j) => `${prefix}${i + j}`);
    const results = await Promise.allSettled(keys.map((key) => create(store, key)));
    const failed = results.filter((result) => result.status === "rejected");
    if (failed.length === 0) {
      written.push(...keys);
      continue;
    }
    assert.equal(failed.length, atOnce, "a batch fails as a whole");
    for (const { reason } of failed) {
      assert.equal(reason.name, "StorageError");
      assert.match(reason.message, /the disk with .*store\.db is full: nothing was written; free some space and writes work again/);
    }
    return written;
  }
  throw new Error("the disk did not fill up");
}

suite("a full disk", { skip: notMounted ?? false }, () => {
  beforeEach(() => {
    for (const name of readdirSync(disk)) rmSync(join(disk, name));
  });

  test("refuses writes with a clear error, goes on reading, and recovers when there is room", async () => {
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, new Uint8Array(megabyte));
    const options = { clock: manualClock(), path: join(disk, "store.db") };
    let written: string[];
    let revision: number;
    {
      await using store = await openSqliteStore(options);
      const events: number[] = [];
      using _ = store.subscribe("/", { after: store.revision }, (batch) =>
        events.push(...batch.events.map((e) => (e.type === "put" ? e.entry.modified : e.revision))),
      );
      written = [...(await fillDisk(store, "/a/", 10)), ...(await fillDisk(store, "/single/", 1))];
      const full = store.revision;
      assert.equal(full, written.length + 1, "what failed has used no revision");
      assert.equal((await store.list("/")).entries.length, written.length);
      await assert.rejects(create(store, "/b"), { name: "StorageError" });
      const lost = await store.write({ op: "delete", key: "/a/0", expect: 999 as Revision });
      assert.equal(lost.ok, false, "what is not written needs no room");
      rmSync(ballast);
      const result = await create(store, "/b");
      assert.deepEqual([result.ok, result.revision], [true, full + 1]);
      written.push("/b", ...(await fillDisk(store, "/c/", 10)));
      revision = store.revision;
      assert.deepEqual(
        events,
        Array.from({ length: revision - 1 }, (_, i) => i + 2),
      );
    }
    await using store = await openSqliteStore(options);
    assert.equal(store.revision, revision);
    assert.deepEqual(
      (await store.list("")).entries.map(({ key }) => key),
      written.sort(),
    );
  });

  test("does not stop updates while the file itself has room", async () => {
    const options = { clock: manualClock(), path: join(disk, "reuse.db") };
    {
      await using store = await openSqliteStore(options);
      const written = await Promise.all(Array.from({ length: 80 }, (_, i) => create(store, `/${i}`)));
      await Promise.all(written.map(({ revision }, i) => store.write({ op: "delete", key: `/${i}`, expect: revision })));
      await store.compact(store.revision);
    }
    await using store = await openSqliteStore(options);
    leaveFree(200_000);
    for (let i = 0; i < 50; i++) assert.equal((await create(store, `/again/${i}`)).ok, true);
  });

  test("opening a store on a full disk fails with an error", async () => {
    const path = join(disk, "late.db");
    leaveFree(0);
    await assert.rejects(openSqliteStore({ clock: manualClock(), path }), {
      name: "StorageError",
      message: /the disk with .*late\.db is full/,
    });
    rmSync(join(disk, "rest"));
    await using store = await openSqliteStore({ clock: manualClock(), path });
    assert.equal(store.revision, 1);
  });
});
