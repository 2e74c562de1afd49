import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { systemClock } from "@coxswain/machinery";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { temporaryFolder } from "../sqlite/temporary-folder.ts";
import { type Incremented, incrementContended } from "./increment-contended.ts";
import { createReplicaHost } from "./replica-host.ts";

const folder = temporaryFolder();
const stores = {
  memory: async () => createMemoryStore({ clock: systemClock }),
  sqlite: () => openSqliteStore({ clock: systemClock, path: folder("threads.db") }),
};
const times = 150;

for (const [name, open] of Object.entries(stores))
  test(`threads that increment one counter, with the store in ${name}: each counts, and each read sees those acknowledged`, async () => {
    await using store = await open();
    using host = createReplicaHost(store);
    const acknowledged = new SharedArrayBuffer(4);
    const threads = [1, 2, 3].map(() => {
      const { start } = host.open();
      const url = new URL("./incrementing-thread.ts", import.meta.url);
      return new Worker(url, { workerData: { start, acknowledged, times }, transferList: [start.port], execArgv: [] });
    });
    const answers = threads.map(async (thread) => ((await once(thread, "message")) as [Incremented])[0]);
    const own = incrementContended(store, new Int32Array(acknowledged), times);
    const all = await Promise.all([own, ...answers]);
    assert.deepEqual(
      all.flatMap(({ violations }) => violations),
      [],
    );
    const { entry } = await store.get("/counter");
    assert.equal(Buffer.from(entry?.value ?? []).toString(), String(4 * times));
    // Each has followed for as long as it has run, without a gap.
    for (const { watched } of all)
      assert.deepEqual(
        watched,
        Array.from(watched, (_, i) => (watched[0] ?? 0) + i),
      );
    await Promise.all(threads.map((thread) => thread.terminate()));
  });
