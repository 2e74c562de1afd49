/** Watches that begin in the past, or in the future, and read as fast as the test says. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Sink } from "@coxswain/apiserver";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { openSqliteStore, type Revision } from "@coxswain/store";
import { storeUnderTest } from "../store-under-test.ts";
import { type Api, type Json, startApi } from "./api.ts";
import { merge } from "./custom-resources.ts";

const maps = "/api/v1/namespaces/default/configmaps";

/** A client that reads nothing until the test says so, and then one write. */
async function slowWatch(api: Api, target: string) {
  const request = { method: "GET", path: maps, query: target, headers: { accept: "application/json" }, remoteAddress: "", http1: false };
  const { body } = await api.server.handle(request, new Uint8Array(0));
  assert.ok(body.kind === "stream");
  const writes: Uint8Array[] = [];
  let wake = (): void => undefined;
  let closed = false;
  const close = (): void => {
    closed = true;
  };
  const sink: Sink = {
    write: (chunk) => writes.push(chunk) < 0,
    end: close,
    abort: close,
    buffered: 0,
    get closed() {
      return closed;
    },
    onClose: () => undefined,
    drained: () => new Promise((resolve) => (wake = resolve)),
  };
  body.start(sink);
  const settle = (): Promise<void> => quiescence({ observe: () => writes.length });
  await settle();
  return {
    writes,
    get events(): Json[] {
      const lines = Buffer.concat(writes).toString().split("\n");
      return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    },
    async read(): Promise<void> {
      wake();
      await settle();
    },
  };
}

async function changed(times: number) {
  const api = await startApi();
  const { body } = await api.send("POST", maps, { body: { metadata: { name: "c" }, data: { filling: "x".repeat(8_000) } } });
  const change = (n: number) => api.send("PATCH", `${maps}/c`, { type: merge, body: { data: { n: String(n) } } });
  for (let n = 1; n <= times; n++) await change(n);
  return { api, change, from: `watch=true&resourceVersion=${body.metadata.resourceVersion}` };
}

test("a watch gets its backlog as it reads, each change once and in order, despite writes meanwhile", async () => {
  const { api, change, from } = await changed(300);
  const watch = await slowWatch(api, from);
  for (let reads = 1; watch.events.length < 310; reads++) {
    assert.equal(watch.writes.length, reads);
    assert.ok((watch.writes.at(-1)?.byteLength ?? 0) <= 64 * 1024);
    if (reads <= 10) await change(300 + reads);
    await watch.read();
  }
  await change(311);
  await watch.read();
  assert.deepEqual(
    watch.events.map(({ object }) => Number(object.data.n)),
    Array.from({ length: 311 }, (_, i) => i + 1),
  );
});

test("watches that go on from the same place share what they are sent", async () => {
  const { api, from } = await changed(20);
  const [one, other, metadata] = await Promise.all([
    slowWatch(api, from),
    slowWatch(api, from),
    slowWatch(api, `${from}&fieldSelector=metadata.name=c`),
  ]);
  assert.ok(one.writes[0] !== undefined && one.writes[0] === other.writes[0]);
  assert.ok(one.writes[0] !== metadata.writes[0]);
  assert.deepEqual(one.events, metadata.events);
});

test("a watch whose backlog was compacted before it was read gets 410", async () => {
  const { api, from } = await changed(300);
  const watch = await slowWatch(api, from);
  await api.store.compact(api.store.revision);
  while (watch.events.at(-1)?.type !== "ERROR") {
    const { length } = watch.writes;
    await watch.read();
    assert.equal(watch.writes.length, length + 1);
  }
  assert.equal(watch.events.at(-1)?.object.code, 410);
  assert.equal(watch.events.length, 128 + 1);
});

test("a watch from the future is sent neither changes nor bookmarks from before it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "future-"));
  t.after(() => rmSync(folder, { recursive: true }));
  await using store = await openSqliteStore({ path: join(folder, "state.db"), clock: new ManualClock() });
  const api = await startApi({ store });
  const from = store.revision + 3;
  const watch = await api.watch(`${maps}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`);
  await watch.settle();
  api.clock.advance(60_000);
  assert.deepEqual(watch.events, []);
  // One batch with revisions from before and from after.
  await Promise.all(["a", "b", "c", "d", "e"].map((name) => api.send("POST", maps, { body: { metadata: { name } } })));
  api.clock.advance(60_000);
  assert.deepEqual(
    (watch.events as Json[]).map(({ type, object }) => [type, Number(object.metadata.resourceVersion) - from]),
    [
      ["ADDED", 1],
      ["ADDED", 2],
      ["BOOKMARK", 2],
    ],
  );
  await api.server.close();
});

test("bookmarks of a watch that has caught up go with the store", async () => {
  const store = await storeUnderTest(new ManualClock());
  const api = await startApi({ store });
  const watch = await api.watch(`${maps}?watch=true&allowWatchBookmarks=true&resourceVersion=${store.revision}`);
  await watch.settle();
  await store.write({ op: "put", key: "/elsewhere", value: new Uint8Array(1), expect: "absent" });
  api.clock.advance(60_000);
  assert.deepEqual(
    watch.events.map(({ object }) => Number(object.metadata.resourceVersion) as Revision),
    [store.revision],
  );
});
