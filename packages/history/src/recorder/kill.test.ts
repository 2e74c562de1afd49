import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { openSqliteStore } from "@coxswain/store";
import { propertyRuns } from "../../../../tests/scope.ts";
import { openHistory } from "./open-history.ts";
import { isRecordable } from "./recorder.ts";

const program = fileURLToPath(new URL("./kill-writer.ts", import.meta.url));

interface Acknowledged {
  readonly revision: number;
  readonly key: string;
  /** How the value begins; "-" for a deletion. */
  readonly mark: string;
}

async function writeUntilKilled(folder: string, seed: number, acknowledgements: number): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [program, folder, String(seed)], { stdio: ["ignore", "pipe", "pipe"] });
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  const exited = once(child, "exit");
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface(child.stdout)) {
    const [revision = "", key = "", mark = ""] = line.split(" ");
    if (mark !== "") acknowledged.push({ revision: Number(revision), key, mark });
    if (acknowledged.length >= acknowledgements) child.kill("SIGKILL");
  }
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL", complaints);
  assert.ok(!complaints.includes("history"), complaints);
  return acknowledged;
}

async function verify(folder: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  await using store = await openSqliteStore({ clock: systemClock, path: join(folder, "state.db") });
  assert.ok(isRecordable(store));
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  await using history = await openHistory({ path: join(folder, "history.db"), store, clock: systemClock, log });
  assert.deepEqual((await history.status()).gaps, []);
  const versions = new Map<number, { readonly key: string; readonly mark: string }>();
  for (const key of new Set(acknowledged.map((one) => one.key)))
    for (const { revision, value } of await history.valuesOf(key, { limit: 100_000 }))
      versions.set(revision, { key, mark: value === undefined ? "-" : (Buffer.from(value).toString().split(" ")[0] ?? "") });
  for (const { revision, key, mark } of acknowledged) assert.deepEqual(versions.get(revision), { key, mark }, `revision ${revision}`);
  const all = await history.changes("", { limit: 1_000_000 });
  assert.deepEqual(
    all.map(({ revision }) => revision),
    Array.from(all, (_, i) => (all[0]?.revision ?? 0) + i),
    "no revision is missing",
  );
  assert.deepEqual(warnings, []);
}

test("a process that is killed leaves no gap in its history, whatever its store forgets", { timeout: 2 * hangMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-history-"));
  const acknowledged: Acknowledged[] = [];
  try {
    for (let round = 0; round < propertyRuns(16); round++) {
      acknowledged.push(...(await writeUntilKilled(folder, round, [5, 400, 2_500, 60][round % 4] ?? 0)));
      await verify(folder, acknowledged);
    }
    assert.ok(new Set(acknowledged.map(({ revision }) => revision)).size === acknowledged.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
