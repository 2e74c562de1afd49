import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ManualClock } from "@coxswain/machinery";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { createLogRotation, removeLogs } from "./rotate-logs.ts";

const quiet = new AbortController().signal;
const clock = new ManualClock(Date.UTC(2026, 0, 2, 3, 4, 5));

async function withLogs(files: Readonly<Record<string, string>>, use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "rotation-"));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function rotation(directory: string, reopen: (path: string) => Promise<void> = (path) => writeFile(path, "")) {
  const logPath = join(directory, "0.log");
  const container = { id: "c", state: "running", logPath } as ContainerStatus;
  const warnings: string[] = [];
  const runtime = { listContainers: async () => [container], reopenContainerLog: () => reopen(logPath) };
  const log = { warn: (_: object, message: string) => warnings.push(message) };
  return { ...createLogRotation({ runtime, clock, log, maxBytes: 10, maxFiles: 3 }), warnings };
}

test("a log of the maximum size is renamed and a new one started", () =>
  withLogs({ "0.log": "0123456789" }, async (directory) => {
    await rotation(directory).rotate(quiet);
    assert.deepEqual((await readdir(directory)).sort(), ["0.log", "0.log.20260102-030405"]);
    assert.equal(await readFile(join(directory, "0.log.20260102-030405"), "utf8"), "0123456789");
  }));

test("a short log stays", () =>
  withLogs({ "0.log": "012345678" }, async (directory) => {
    await rotation(directory).rotate(quiet);
    assert.deepEqual(await readdir(directory), ["0.log"]);
  }));

test("older ones are packed, and no more kept than wanted; what was left half done goes", () => {
  const files = {
    "0.log": "newest log",
    "0.log.20260101-000000.gz": "oldest",
    "0.log.20260101-000001": "older",
    "0.log.20260101-000002.tmp": "half",
    "0.log.20260101-000003": "packed",
    "0.log.20260101-000003.gz": "packed",
    "0.log.20260101-000004": "next to last",
  };
  return withLogs(files, async (directory) => {
    await rotation(directory).rotate(quiet);
    assert.deepEqual((await readdir(directory)).sort(), ["0.log", "0.log.20260101-000004.gz", "0.log.20260102-030405"]);
    assert.equal(gunzipSync(await readFile(join(directory, "0.log.20260101-000004.gz"))).toString(), "next to last");
  });
});

test("a runtime that does not reopen the log gets its file back", () =>
  withLogs({ "0.log": "0123456789" }, async (directory) => {
    const rotated = rotation(directory, () => Promise.reject(new Error("busy")));
    await rotated.rotate(quiet);
    assert.deepEqual(await readdir(directory), ["0.log"]);
    assert.deepEqual(rotated.warnings, ["failed to rotate the log of a container"]);
  }));

test("a log that is missing is started again", () =>
  withLogs({}, async (directory) => {
    await rotation(directory).rotate(quiet);
    assert.deepEqual(await readdir(directory), ["0.log"]);
  }));

test("a container's logs are deleted together", () =>
  withLogs({ "0.log": "a", "0.log.20260101-000000.gz": "b", "1.log": "c" }, async (directory) => {
    await removeLogs(join(directory, "0.log"));
    assert.deepEqual(await readdir(directory), ["1.log"]);
  }));
