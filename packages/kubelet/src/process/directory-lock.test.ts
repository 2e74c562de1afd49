import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { takeLock } from "./directory-lock.ts";

async function withPath(use: (path: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "directory-lock-"));
  await use(join(directory, "lock")).finally(() => rm(directory, { recursive: true }));
}

test("of several that want a lock in the same instant one gets it, and another when that lets go", () =>
  withPath(async (path) => {
    const all = await Promise.allSettled(Array.from({ length: 4 }, () => takeLock(path)));
    const [taken, ...more] = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    assert.equal(more.length, 0);
    await assert.rejects(takeLock(path), new RegExp(`lock is held by the process ${process.pid}: two runtimes cannot share a directory`));
    taken?.[Symbol.dispose]();
    (await takeLock(path))[Symbol.dispose]();
  }));

test("a lock that is not held is free, though its file names a process that runs", () =>
  withPath(async (path) => {
    await writeFile(path, `${process.ppid}\n`);
    using _ = await takeLock(path);
  }));
