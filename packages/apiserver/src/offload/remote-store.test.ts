import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { createMemoryStore, type Store } from "@coxswain/store";
import type { Calls } from "./protocol.ts";
import { type Line, RemoteStore } from "./remote-store.ts";

/** The line to a store in the same thread, and what was asked over it. */
function lineTo(store: Store): { readonly line: Line; readonly asked: string[] } {
  const asked: string[] = [];
  const calls: Pick<Calls, "get" | "list" | "write"> = {
    get: (key, opts) => store.get(key, opts),
    list: (prefix, opts) => store.list(prefix, opts),
    write: (op, note) => store.write(op, note),
  };
  const line: Line = {
    call: (method, ...args) => {
      asked.push(method);
      const call = calls[method as keyof typeof calls] as (...args: readonly unknown[]) => unknown;
      return call(...args) as never;
    },
    subscribe: (prefix, after, fn) => store.subscribe(prefix, { after }, fn),
  };
  return { line, asked };
}

const value = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a long list comes in pages of one snapshot", async () => {
  const store = createMemoryStore({ clock: new ManualClock() });
  const { line, asked } = lineTo(store);
  const remote = new RemoteStore(line);
  const keys = Array.from({ length: 70 }, (_, i) => `/a/${String(i).padStart(2, "0")}`);
  for (const key of keys) await remote.write({ op: "put", key, value: value(key), expect: "absent" });
  asked.length = 0;
  const listed = await remote.list("/a/");
  assert.deepEqual(asked, ["list", "list", "list"]);
  assert.deepEqual(
    listed.entries.map(({ key }) => key),
    keys,
  );
  assert.equal(listed.remaining, 0);
  assert.equal(listed.revision, store.revision);
});

test("a write keeps what was derived, and fails when another writer was faster", async () => {
  const store = createMemoryStore({ clock: new ManualClock() });
  const remote = new RemoteStore(lineTo(store).line);
  const derived = { object: { metadata: { labels: { a: "b" } } } };
  const written = await remote.write({ op: "put", key: "/a/1", value: value("1"), expect: "absent", derived });
  assert.ok(written.ok);
  assert.equal(written.entry?.derived, derived);
  const lost = await remote.write({ op: "put", key: "/a/1", value: value("2"), expect: "absent" });
  assert.ok(!lost.ok);
  assert.equal(new TextDecoder().decode(lost.actual?.value), "1");
});

test("a watch ends with its signal", async () => {
  const store = createMemoryStore({ clock: new ManualClock() });
  const remote = new RemoteStore(lineTo(store).line);
  const ending = new AbortController();
  const keys: string[] = [];
  const watching = (async () => {
    for await (const { events } of remote.watch("/a/", { after: store.revision, signal: ending.signal }))
      for (const event of events) if (event.type === "put" && keys.push(event.entry.key) === 2) ending.abort();
  })();
  for (const key of ["/a/1", "/b/1", "/a/2"]) await store.write({ op: "put", key, value: value(key), expect: "absent" });
  await watching;
  assert.deepEqual(keys, ["/a/1", "/a/2"]);
});
