/** What was stored as it was, before values were transformed, leaves nothing in the file once it is written again. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { ValueTransformer } from "../storage/value-transformer.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const plain = "what-nobody-may-read";
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Each byte the other way round, with a mark before it. */
const inverted: ValueTransformer = {
  generation: 0,
  checkWrite: () => undefined,
  toStorage: (_key, value) => Buffer.concat([text("k8s:enc:"), value.map((byte) => ~byte)]),
  fromStorage(_key, stored) {
    const isInverted = Buffer.from(stored).toString("latin1").startsWith("k8s:enc:");
    return { value: isInverted ? stored.subarray(8).map((byte) => ~byte) : stored, stale: !isInverted };
  },
};

const keys = Array.from({ length: 20 }, (_, i) => `/registry/a/${i}`);

for (const [size, value] of [
  ["small", plain],
  ["large", plain + "x".repeat(100_000)],
] as const)
  test(`a ${size} value that was stored as it was`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "coxswain-store-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "state.db");
    const clock = new ManualClock();
    const found = (): number => {
      const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)).toString("latin1"));
      return files.reduce((sum, content) => sum + content.split(plain).length - 1, 0);
    };
    {
      await using store = await openSqliteStore({ path, clock });
      for (const key of keys) await store.write({ op: "put", key, value: text(value), expect: "absent" });
    }
    assert.ok(found() >= 20);
    {
      await using store = await openSqliteStore({ path, clock, transformer: inverted, historyMs: 0, historyRevisions: 0 });
      for (const { key, modified } of (await store.list("/registry/")).entries)
        await store.write({ op: "put", key, value: text(value), expect: modified });
      await store.compact(store.revision);
      assert.deepEqual((await store.get("/registry/a/7")).entry?.value, text(value));
    }
    // Pages that were split may keep copies beside what they hold.
    if (size === "small") assert.equal(found(), 0);
    const db = new DatabaseSync(path);
    db.exec("VACUUM");
    db.close();
    assert.equal(found(), 0);
  });
