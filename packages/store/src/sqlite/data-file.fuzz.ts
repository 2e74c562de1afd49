/**
 * The data file, with bytes that are not what was written: it is refused, or holds what it held. An input changes it four bytes at a
 * time: three say where, one says to what.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../../../tests/fuzz/harness/random.ts";
import { bytesOf, type FuzzTarget } from "../../../../tests/fuzz/harness/target.ts";
import { manualClock } from "../contract/manual-clock.ts";
import { ChangeLog, defaultWindow } from "../engine/change-log.ts";
import { firstRevision } from "../engine/history-store.ts";
import { slice } from "../engine/tree.ts";
import { OutcomeUnknownError, type Revision, StorageError } from "../storage/store.ts";
import { loadDataFile } from "./load.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Entries at several revisions, some compacted, some deleted. */
async function writeSample(path: string): Promise<void> {
  await using store = await openSqliteStore({ clock: manualClock(), path });
  for (let i = 0; i < 30; i++)
    await store.write({ op: "put", key: `/${i}`, value: Buffer.from(`value ${i} `.repeat(10)), expect: "absent" });
  for (let i = 0; i < 10; i++) await store.write({ op: "delete", key: `/${i}`, expect: (i + 2) as Revision });
  await store.compact(35 as Revision);
}

function entriesOf(path: string): string {
  const log = new ChangeLog(defaultWindow, firstRevision);
  loadDataFile(path, log);
  const entries = slice(log.tree, 0, Number.MAX_SAFE_INTEGER);
  return JSON.stringify([...entries].map(({ key, value }) => [key, Buffer.from(value).toString()]));
}

export const target: FuzzTarget = {
  name: "data-file",
  modules: ["store/src/sqlite"],
  bytes: true,
  sample: 200,
  dictionary: ["\0\0\0\0", "\0\0\x10\x01", "\0\x10\0\xff", "\0\0\x1c\0"],
  seeds: ["", "\0\0\0x", "\0\x10\x05\x07", "\xff"],
  generate: (random: Random) =>
    Array.from({ length: 1 + random.below(6) }, () =>
      String.fromCharCode(0, random.below(96), random.below(256), random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])),
    ).join(""),
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-fuzz-"));
    const [whole, changed] = [join(folder, "whole"), join(folder, "changed")];
    await writeSample(whole);
    const content = readFileSync(whole);
    const entries = entriesOf(whole);
    return {
      judge(input) {
        const bytes = Buffer.from(content);
        const edits = bytesOf(input);
        for (let at = 0; at + 4 <= edits.length; at += 4) {
          const [high = 0, middle = 0, low = 0, to = 0] = edits.subarray(at, at + 4);
          const place = ((high << 16) | (middle << 8) | low) % bytes.length;
          bytes[place] = to;
        }
        for (const beside of ["-wal", "-shm", "-journal"]) rmSync(`${changed}${beside}`, { force: true });
        writeFileSync(changed, bytes);
        // What is left of four bytes cuts the file off.
        if (edits.length % 4 === 1) truncateSync(changed, ((edits.at(-1) ?? 0) * bytes.length) >> 8);
        try {
          // An empty file is a new one.
          const found = entriesOf(changed);
          assert.ok(found === entries || found === "[]", "holds something else than what was written");
          return found === entries;
        } catch (error) {
          if (error instanceof StorageError || error instanceof OutcomeUnknownError) return false;
          throw error;
        }
      },
      [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};
