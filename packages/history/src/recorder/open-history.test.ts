import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { createMemoryStore, openSqliteStore, type Revision, type Store, type ValueTransformer } from "@coxswain/store";
import { type HistoryOptions, openHistory } from "./open-history.ts";
import { isRecordable, type RecordedStore } from "./recorder.ts";

const options = { timeout: hangMs };
const warnings: string[] = [];
const log = { warn: (_fields: object, message: string): void => void warnings.push(message) };
const bytes = (text: string): Uint8Array => Buffer.from(text);

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-history-"));
  warnings.length = 0;
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const recordable = (store: Store): RecordedStore => {
  assert.ok(isRecordable(store));
  return store;
};

async function put(store: Store, key: string, text: string): Promise<Revision> {
  const { entry } = await store.get(key);
  const written = await store.write(
    { op: "put", key, value: bytes(text), expect: entry?.modified ?? "absent" },
    { user: "jane", manager: "test", readAt: String(entry?.modified ?? "") },
  );
  assert.ok(written.ok);
  return written.revision;
}

const openOn = (folder: string, store: Store, more: Partial<HistoryOptions> = {}) =>
  openHistory({ path: join(folder, "history.db"), store: recordable(store), clock: systemClock, log, ...more });

const textOf = (value: Uint8Array | undefined): string | undefined => (value === undefined ? undefined : Buffer.from(value).toString());

test("what a store has forgotten is read from its history, with who wrote it", options, () =>
  withFolder(async (folder) => {
    await using store = createMemoryStore({ clock: systemClock });
    await put(store, "/before", "was there");
    await using history = await openOn(folder, store);
    const first = await put(store, "/a", "one");
    const second = await put(store, "/a", "two");
    const third = await put(store, "/a", "three");
    assert.equal((await history.status()).recorded, store.revision);
    await store.compact(store.revision);
    await assert.rejects(store.get("/a", { at: first }));
    assert.equal(textOf((await history.get("/a", first))?.value), "one");
    assert.equal(textOf((await history.get("/a", second))?.value), "two");
    assert.deepEqual(
      (await history.list("/", first, { limit: 10 })).entries.map(({ key }) => key),
      ["/a", "/before"],
    );
    const versions = await history.versionsOf("/a", { limit: 10 });
    assert.deepEqual(
      versions.map(({ revision, note }) => [revision, note?.user, note?.readAt]),
      [
        [third, "jane", String(second)],
        [second, "jane", String(first)],
        [first, "jane", ""],
      ],
    );
  }),
);

test("history goes on where it was when store and history are opened again, without a gap", options, () =>
  withFolder(async (folder) => {
    const path = join(folder, "state.db");
    const revisions: Revision[] = [];
    for (let run = 0; run < 3; run++) {
      await using store = await openSqliteStore({ path, clock: systemClock });
      await using history = await openOn(folder, store);
      for (let n = 0; n < 20; n++) revisions.push(await put(store, `/k/${n % 4}`, `run ${run}, write ${n}`));
      if (run === 2) {
        for (const [i, revision] of revisions.entries()) {
          const entry = await history.get(`/k/${(i % 20) % 4}`, revision);
          assert.equal(textOf(entry?.value), `run ${Math.floor(i / 20)}, write ${i % 20}`);
        }
        assert.deepEqual((await history.status()).gaps, []);
      }
    }
    assert.deepEqual(warnings, []);
  }),
);

test("what was written while no history was kept, and is forgotten, is a gap", options, () =>
  withFolder(async (folder) => {
    await using store = createMemoryStore({ clock: systemClock });
    const first = await put(store, "/a", "one");
    {
      await using history = await openOn(folder, store);
      await history.status();
    }
    const missed = await put(store, "/a", "two");
    const last = await put(store, "/a", "three");
    await store.compact(last);
    await using history = await openOn(folder, store);
    assert.equal(textOf((await history.get("/a", first))?.value), "one");
    await assert.rejects(history.get("/a", missed), /it was not recorded what happened/);
    assert.equal(textOf((await history.get("/a", last))?.value), "three");
    assert.deepEqual(warnings, ["history was not recorded between two resourceVersions"]);
  }),
);

test("a history of another, newer state is given up", options, () =>
  withFolder(async (folder) => {
    {
      await using store = createMemoryStore({ clock: systemClock });
      await using history = await openOn(folder, store);
      for (let n = 0; n < 10; n++) await put(store, "/old", String(n));
      await history.status();
    }
    await using store = createMemoryStore({ clock: systemClock });
    const revision = await put(store, "/new", "x");
    await using history = await openOn(folder, store);
    assert.deepEqual(
      (await history.list("/", revision, { limit: 10 })).entries.map(({ key }) => key),
      ["/new"],
    );
    assert.deepEqual(await history.versionsOf("/old", { limit: 10 }), []);
  }),
);

test("what is encrypted at rest is as encrypted in the history, and is read again", options, () =>
  withFolder(async (folder) => {
    const mask = (value: Uint8Array): Uint8Array => value.map((byte) => byte ^ 0x5a);
    const transformer: ValueTransformer = {
      generation: 0,
      toStorage: (key, value) => (key.startsWith("/secrets/") ? mask(value) : value),
      fromStorage: (key, stored) => ({ value: key.startsWith("/secrets/") ? mask(stored) : stored, stale: false }),
      checkWrite: () => undefined,
    };
    await using store = createMemoryStore({ clock: systemClock });
    const revision = await put(store, "/secrets/a", "hidden");
    await put(store, "/secrets/a", "hidden, too");
    {
      await using history = await openOn(folder, store, { transformer });
      await history.status();
    }
    for (const [given, expected] of [
      [transformer, "hidden"],
      [undefined, textOf(mask(bytes("hidden")))],
    ] as const) {
      await using history = await openOn(folder, store, { transformer: given });
      assert.equal(textOf((await history.get("/secrets/a", revision))?.value), expected);
    }
  }),
);
