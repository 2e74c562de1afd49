import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { manualClock } from "../contract/manual-clock.ts";
import { bytesOf } from "../contract/model.ts";
import { isWhole } from "../sqlite/kill-lottery.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { temporaryFolder } from "../sqlite/temporary-folder.ts";
import { CompactedError, type Revision, type Store } from "../storage/store.ts";
import { copyDataFile } from "./copy-data-file.ts";
import { openFileSource, openFileTarget } from "./data-directory.ts";
import { createSnapshot, openSnapshot } from "./snapshot-file.ts";
import type { StateEntry, StateSource } from "./state.ts";
import { transferState } from "./transfer-state.ts";

const folder = temporaryFolder();
const now = 1_700_000_000_000;
const open = (path: string): Promise<Store> => openSqliteStore({ clock: manualClock(now), path });
let files = 0;
const newPath = (): string => folder(`${files++}.db`);

/** Three keys, of which one is changed, one deleted, one made again. */
async function filled(): Promise<string> {
  const path = newPath();
  await using store = await open(path);
  const put = async (key: string, value: string) => {
    const { entry } = await store.get(key);
    await store.write({ op: "put", key, value: bytesOf(value), expect: entry?.modified ?? "absent" });
  };
  for (const key of ["/a", "/b", "/c"]) await put(key, `${key}1`);
  await put("/a", "/a2");
  for (const key of ["/b", "/c"]) {
    const { entry } = await store.get(key);
    await store.write({ op: "delete", key, expect: entry?.modified as Revision });
  }
  await put("/c", "/c2");
  return path;
}

const stateOf = async (store: Store) => {
  const { revision, entries } = await store.list("/");
  return { revision, entries: entries.map(({ key, value, created, modified }) => [key, Buffer.from(value).toString(), created, modified]) };
};

const sourceOf = (revision: number, entries: readonly StateEntry[]): StateSource => ({
  ...{ revision, entries: entries.length, prefix: "/registry" },
  async *pages() {
    yield entries;
  },
  async [Symbol.asyncDispose]() {},
});

const entry = (key: string, modified: number, value = key): StateEntry => ({
  ...{ key, value: bytesOf(value), created: modified, modified, at: undefined, ttlSeconds: undefined },
});

suite("a data file that is copied", () => {
  test("has the entries of the newest revision with their versions, and goes on from there", async () => {
    const [from, to] = [await filled(), newPath()];
    {
      await using source = openFileSource(from);
      await using target = openFileTarget({ path: to, revision: source.revision, now, replaces: false });
      const { revision, renumbered, summary } = await transferState(source, target);
      assert.deepEqual([revision, renumbered, summary.entries, summary.bytes], [8, 0, 2, 10]);
    }
    await using original = await open(from);
    await using copy = await open(to);
    assert.deepEqual(await stateOf(copy), await stateOf(original));
    assert.deepEqual(copy.events("/", { after: 8 as Revision, limit: 10 }).events, []);
    assert.throws(() => copy.events("/", { after: 7 as Revision, limit: 10 }), CompactedError);
    const { revision } = await copy.write({ op: "put", key: "/d", value: bytesOf("d"), expect: "absent" });
    assert.equal(revision, 9);
  });

  test("gives entries that share a revision new ones behind the newest", async () => {
    const path = newPath();
    {
      await using target = openFileTarget({ path, revision: 9, now, replaces: false });
      const source = sourceOf(9, [entry("/a", 5), entry("/b", 5), entry("/c", 5), entry("/d", 9)]);
      assert.deepEqual(await transferState(source, target).then(({ revision, renumbered }) => [revision, renumbered]), [11, 2]);
    }
    await using store = await open(path);
    const versions = (await stateOf(store)).entries.map(([key, , , modified]) => [key, modified]);
    assert.deepEqual(
      [versions, store.revision],
      [
        [
          ["/a", 5],
          ["/b", 10],
          ["/c", 11],
          ["/d", 9],
        ],
        11,
      ],
    );
  });

  test("replaces what is there only when it is asked to, with the log that a crash has left", async () => {
    const path = await filled();
    const crashed = newPath();
    const child = await startWriter(crashed);
    await child.end();
    assert.ok(statSync(`${crashed}-wal`).size > 0);
    const openTarget = (replaces: boolean) => openFileTarget({ path: crashed, revision: 8, now, replaces });
    assert.throws(() => openTarget(false), /there is a state in \S+ already/);
    {
      await using source = openFileSource(path);
      await using target = openTarget(true);
      await transferState(source, target);
    }
    await using store = await open(crashed);
    assert.deepEqual(
      (await stateOf(store)).entries.map(([key]) => key),
      ["/a", "/c"],
    );
  });

  test("is not there when its copy was cut off, and what was there stays", async () => {
    const [path, target] = [newPath(), await filled()];
    for (const one of [path, target]) {
      const cutOff = openFileTarget({ path: one, revision: 5, now, replaces: true });
      await cutOff.write([entry("/x", 5)]);
      await cutOff[Symbol.asyncDispose]();
    }
    assert.deepEqual([existsSync(path), existsSync(`${path}.partial`)], [false, true]);
    await using store = await open(target);
    assert.deepEqual(
      (await stateOf(store)).entries.map(([key]) => key),
      ["/a", "/c"],
    );
  });

  test("is refused while a server has it open, and when it is damaged", async () => {
    const path = await filled();
    {
      await using _ = await open(path);
      assert.throws(() => openFileSource(path), /the data directory is in use/);
      assert.throws(() => openFileTarget({ path, revision: 1, now, replaces: true }), /the data directory is in use/);
    }
    const bytes = readFileSync(path);
    bytes.write("3", bytes.indexOf("/c2") + 2);
    writeFileSync(path, bytes);
    await using source = openFileSource(path);
    await assert.rejects(Array.fromAsync(source.pages()), /is damaged \(the checksum of revision 8 does not match\)/);
  });

  test("fails when it reads back otherwise than it was written", async () => {
    await using target = openFileTarget({ path: newPath(), revision: 5, now, replaces: false });
    await target.write([entry("/x", 5)]);
    await assert.rejects(target.finish({ entries: 1, bytes: 4, digest: "000000000000" }), /is not what was written/);
  });
});

suite("a snapshot", () => {
  const save = async (from: string, path = newPath()) => {
    await using source = openFileSource(from);
    await using target = createSnapshot({ path, revision: source.revision, prefix: source.prefix, now });
    return { path, ...(await transferState(source, target)) };
  };

  test("says what is in it, is one file that only its owner may read, and comes back as it was", async () => {
    const from = await filled();
    const { path, summary } = await save(from);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(folder(".")).filter(
        (name) => folder(name).startsWith(`${path}-`) || (name.endsWith(".partial") && folder(name).startsWith(path)),
      ),
      [],
    );
    const before = readFileSync(path);
    const { source, facts } = await openSnapshot(path);
    assert.deepEqual(facts, { revision: 8, prefix: "/registry", takenAt: now, ...summary });
    const to = newPath();
    {
      await using _ = source;
      await using target = openFileTarget({ path: to, revision: source.revision, now, replaces: false });
      await transferState(source, target);
    }
    assert.deepEqual(readFileSync(path), before);
    await using original = await open(from);
    await using copy = await open(to);
    assert.deepEqual(await stateOf(copy), await stateOf(original));
  });

  test("that lacks an entry, has another byte or another count is damaged, and another file is none", async () => {
    const broken: readonly [sql: string, says: RegExp][] = [
      ["DELETE FROM revisions WHERE key = '/a'", /is not what was written/],
      ["UPDATE revisions SET value = x'00' WHERE key = '/a'", /the checksum of revision 5 does not match/],
      ["UPDATE snapshot SET entries = 3", /is not what was written/],
      ["DROP TABLE snapshot", /is not a snapshot/],
    ];
    const from = await filled();
    for (const [sql, says] of broken) {
      const { path } = await save(from);
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
      await assert.rejects(openSnapshot(path), says, sql);
    }
    writeFileSync(folder("text"), "no snapshot");
    await assert.rejects(openSnapshot(folder("text")), /is damaged|not a/);
    await assert.rejects(openSnapshot(folder("nothing")), /there is no /);
    await assert.rejects(save(from, folder("text")), /there is a file \S+ already/);
  });
});

/** The program of the kill tests: it writes without a pause and says what was acknowledged. */
async function startWriter(path: string) {
  const program = fileURLToPath(new URL("../sqlite/kill-writer.ts", import.meta.url));
  const child = spawn(process.execPath, [program, path, "1", "100"], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const acknowledged: { revision: number; key: string; mark: string }[] = [];
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => {
    const [revision = "", key = "", mark = ""] = line.split(/ (.*?) (.*)/s);
    if (/^\d+$/.test(revision)) acknowledged.push({ revision: Number(revision), key, mark });
  });
  const reach = async (count: number): Promise<void> => {
    while (acknowledged.length < count) await once(lines, "line");
  };
  /** Once each write up to there is said; the first one makes revision 2. */
  const reachRevision = async (wanted: number): Promise<void> => {
    while (acknowledged.filter(({ revision }) => revision <= wanted).length < wanted - 1) await once(lines, "line");
  };
  await reach(50);
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return { acknowledged, reach, reachRevision, end };
}

test("the state of a server that writes without a pause is copied as it was at one revision", async () => {
  const path = newPath();
  const writer = await startWriter(path);
  const logs = new Set<string>();
  try {
    for (let round = 0; round < 12; round++) {
      await writer.reach(50 + 500 * round);
      const before = writer.acknowledged.length;
      logs.add(readFileSync(`${path}-wal`).toString("hex", 0, 32));
      await using source = openFileSource(path, { live: true });
      const entries = (await Array.fromAsync(source.pages())).flat();
      await writer.reachRevision(source.revision);
      const newest = new Map<string, { revision: number; mark: string }>();
      for (const { revision, key, mark } of writer.acknowledged.toSorted((a, b) => a.revision - b.revision))
        if (revision <= source.revision) newest.set(key, { revision, mark });
      assert.ok(source.revision >= Math.max(...writer.acknowledged.slice(0, before).map(({ revision }) => revision)));
      const expected = [...newest].filter(([, { mark }]) => mark !== "-").map(([key, { revision }]) => `${key}@${revision}`);
      assert.deepEqual(entries.map(({ key, modified }) => `${key}@${modified}`).sort(), expected.sort());
      for (const { key, value } of entries) assert.ok(isWhole(key, value));
    }
    assert.ok(logs.size > 1, "the log has begun anew meanwhile");
  } finally {
    await writer.end();
  }
});

test("a copy during which the log has begun anew is made again, and given up in the end", async () => {
  const [path, to] = [await filled(), newPath()];
  let [rounds, until] = [0, 3];
  const betweenFiles = (): void => {
    if (rounds++ < until) writeFileSync(`${path}-wal`, Buffer.alloc(64, rounds));
  };
  copyDataFile(path, to, { betweenFiles });
  assert.equal(rounds, 4);
  [rounds, until] = [0, 1_000];
  assert.throws(() => copyDataFile(path, to, { betweenFiles }), /cannot be copied while the server runs/);
});
