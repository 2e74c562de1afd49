import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { manualClock } from "../contract/manual-clock.ts";
import { bytesOf, found, plainEntry } from "../contract/model.ts";
import { ChangeLog, defaultWindow } from "../engine/change-log.ts";
import { firstRevision } from "../engine/history-store.ts";
import { slice } from "../engine/tree.ts";
import { type Revision, StorageError } from "../storage/store.ts";
import { loadDataFile } from "./load.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
const open = (path: string) => openSqliteStore({ clock: manualClock(), path });

/** A file with entries at several revisions, some compacted. */
async function writeSample(path: string): Promise<string> {
  await using store = await open(path);
  for (let i = 0; i < 60; i++) await store.write({ op: "put", key: `/${i}`, value: bytesOf(`value ${i} `.repeat(40)), expect: "absent" });
  for (let i = 0; i < 20; i++) await store.write({ op: "delete", key: `/${i}`, expect: (i + 2) as Revision });
  await store.compact(70 as Revision);
  return path;
}

function sql(path: string, statement: string): void {
  using db = new DatabaseSync(path);
  db.exec(statement);
}

/** Takes one off the count of rows of the first page that has some, of before the compaction: nothing else there is changed. */
function hideRow(path: string): void {
  const pageBytes = 4_096;
  const rowsOfTable = 13;
  const bytes = readFileSync(path);
  for (let page = pageBytes; page < bytes.length; page += pageBytes) {
    const rows = bytes.readUInt16BE(page + 3);
    if (bytes[page] !== rowsOfTable || rows < 2) continue;
    bytes.writeUInt16BE(rows - 1, page + 3);
    writeFileSync(path, bytes);
    return;
  }
  assert.fail("no page has rows");
}

const refused: readonly { name: string; spoil: (path: string) => void; message: RegExp }[] = [
  {
    name: "of a newer format",
    spoil: (path) => sql(path, "UPDATE meta SET value = 2 WHERE name = 'format'"),
    message: /was written by a newer coxswain \(format 2, this one knows 1\): run that version, or choose another data directory/,
  },
  {
    name: "with another header",
    spoil: (path) => writeFileSync(path, "not a database at all ".repeat(400)),
    message: /is damaged \(file is not a database\): restore it/,
  },
  {
    name: "that is cut off",
    spoil: (path) => truncateSync(path, 5_000),
    message: /is damaged .*: restore it from a backup, or move it away/,
  },
  {
    name: "with a changed value",
    spoil: (path) => sql(path, "UPDATE revisions SET value = zeroblob(4) WHERE revision = 40"),
    message: /is damaged \(the checksum of revision 40 does not match\)/,
  },
  {
    name: "with a page that says it has fewer rows than it has",
    spoil: hideRow,
    message: /is damaged \(its pages are not in order/,
  },
  {
    name: "with a missing revision",
    spoil: (path) => sql(path, "DELETE FROM revisions WHERE revision = 75"),
    message: /is damaged \(revision 75 is missing\)/,
  },
  {
    name: "without its compaction mark",
    spoil: (path) => sql(path, "DELETE FROM meta WHERE name = 'compacted'"),
    message: /is damaged \(/,
  },
  {
    name: "of another program",
    spoil: (path) => sql(path, "DROP TABLE meta; DROP TABLE revisions; CREATE TABLE other (a)"),
    message: /is not a data file of coxswain/,
  },
];

suite("a SQLite store refuses a file", { concurrency: true }, () => {
  for (const [i, { name, spoil, message }] of refused.entries())
    test(name, async () => {
      const path = await writeSample(folder(`refused-${i}.db`));
      spoil(path);
      await assert.rejects(open(path), { name: "StorageError", message });
      // The lock is gone with the failure, so the next try says the same.
      await assert.rejects(open(path), { name: "StorageError", message });
    });

  test("and leaves no timer behind", async () => {
    const path = folder("no-timer.db");
    writeFileSync(path, "not a database at all ".repeat(400));
    const clock = manualClock();
    await assert.rejects(openSqliteStore({ clock, path }), { name: "StorageError" });
    clock.advance(60_000);
  });

  test("in a directory that is not there", async () => {
    await assert.rejects(open(folder("missing/x.db")), { name: "StorageError", message: /its directory must exist and be writable/ });
  });

  test("that another store in this process has open, until that is closed", async () => {
    const path = folder("twice.db");
    {
      await using _ = await open(path);
      await assert.rejects(open(path), { name: "StorageError", message: /the data directory is in use/ });
    }
    await using store = await open(path);
    assert.equal(store.revision, 1);
  });

  test("that another process has open, until that ends", async () => {
    const path = folder("in-use.db");
    const child = writeInProcess(path, "pipe");
    await once(found(child.stdout ?? undefined), "data");
    await assert.rejects(open(path), {
      name: "StorageError",
      message: /the data directory is in use: another process has .*in-use.db open/,
    });
    child.kill("SIGKILL");
    await once(child, "exit");
    await using store = await open(path);
    assert.ok(store.revision >= 1);
  });

  test("that this process has open, in another process, whatever was tried here meanwhile", async () => {
    const path = folder("held.db");
    await using _ = await open(path);
    await assert.rejects(open(path), { name: "StorageError" });
    const child = writeInProcess(path, "pipe");
    child.stdout?.on("data", () => child.kill("SIGKILL"));
    const [status] = await once(child, "exit");
    assert.equal(status, 1);
  });
});

function writeInProcess(path: string, output: "pipe" | "ignore"): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL("./kill-writer.ts", import.meta.url)), path], {
    stdio: ["ignore", output, "ignore"],
  });
}

test("a flipped bit anywhere in the file is noticed, or changes nothing that was stored", async () => {
  const path = await writeSample(folder("bits.db"));
  const load = (from: string) => {
    const log = new ChangeLog(defaultWindow, firstRevision);
    loadDataFile(from, log);
    return slice(log.tree, 0, log.tree.size).map(plainEntry);
  };
  const intact = load(path);
  const bytes = readFileSync(path);
  const copy = folder("flipped.db");
  let noticed = 0;
  for (let at = 7; at < bytes.length; at += 151) {
    copyFileSync(path, copy);
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at % 8);
    writeFileSync(copy, flipped);
    try {
      assert.deepEqual(load(copy), intact, `byte ${at}`);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      noticed++;
    }
  }
  assert.ok(noticed > 50, `only ${noticed} were noticed`);
});
