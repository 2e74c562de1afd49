import assert from "node:assert/strict";
import { test } from "node:test";
import { byOwner } from "../cache/indexes.ts";
import { FakeServer, items, quiet } from "./fake-server.ts";
import { createInformerSet } from "./informer-set.ts";
import { sharedInformers } from "./shared-informers.ts";

test("users of the same resource share an informer, with the indexes of all", () => {
  const set = createInformerSet(new FakeServer().client);
  const transform = <T>(object: T): T => object;
  const first = set.use(items, { indexes: { byOwner } }).informer;
  assert.equal(set.use(items, { indexes: { mine: () => [] } }).informer, first);
  assert.deepEqual(first.lister.byIndex("mine", "x"), []);
  const others = [
    { labelSelector: "a" },
    { fieldSelector: "a=b" },
    { metadataOnly: true },
    { resyncMs: 1 },
    { transform },
    { namespace: "x" },
  ];
  const informers = new Set([first, ...others.map((options) => set.use(items, options).informer)]);
  assert.equal(informers.size, 1 + others.length);
});

test("an informer runs from its first use to the end of its last", async () => {
  const server = new FakeServer();
  const set = createInformerSet(server.client);
  const stop = new AbortController();
  const run = set.run(stop.signal);
  assert.equal(server.watched, false);
  const first = set.use(items);
  const second = set.use(items);
  await quiet();
  server.list();
  await set.synced();
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await quiet();
  assert.equal(server.watched, true);
  assert.deepEqual(set.covering(items, "default"), [second.informer]);
  second[Symbol.dispose]();
  await quiet();
  assert.equal(server.watched, false);
  assert.deepEqual(set.covering(items, "default"), []);
  const third = set.use(items);
  assert.notEqual(third.informer, first.informer);
  await quiet();
  assert.equal(server.watched, true);
  stop.abort();
  await run;
  assert.equal(server.watched, false);
  assert.equal(server.clock.waiting, 0);
});

test("returns the informers that have not synced in time", async () => {
  const server = new FakeServer();
  const set = createInformerSet(server.client);
  const stop = new AbortController();
  set.use(items);
  const run = set.run(stop.signal);
  await quiet();
  const synced = set.synced({ timeoutMs: 5_000 });
  server.clock.advance(5_000);
  await assert.rejects(synced, /^Error: not synced in time: items \(v1\)$/);
  stop.abort();
  await run;
  assert.equal(server.clock.waiting, 0);
});

test("one informer's failure ends the run of all", async () => {
  const server = new FakeServer();
  const set = createInformerSet(server.client);
  const { informer } = set.use(items);
  informer.subscribe(() => {
    throw new Error("no");
  });
  const run = set.run(new AbortController().signal);
  await quiet();
  server.put("a");
  server.list();
  await assert.rejects(run, /^Error: no$/);
  assert.equal(server.watched, false);
  assert.equal(server.clock.waiting, 0);
});

test("who shares a set waits for what it uses itself, and gives up that alone", async () => {
  const server = new FakeServer();
  const set = createInformerSet(server.client);
  const [one, other] = [sharedInformers(set, server.clock), sharedInformers(set, server.clock)];
  const stop = new AbortController();
  const run = set.run(stop.signal);
  const first = one.use(items);
  await other.synced();
  const late = one.synced({ timeoutMs: 5_000 });
  server.clock.advance(5_000);
  await assert.rejects(late, /^Error: not synced in time: items \(v1\)$/);
  const second = other.use(items);
  assert.equal(second.informer, first.informer);
  await quiet();
  server.list();
  await other.synced();
  first[Symbol.dispose]();
  await quiet();
  assert.equal(server.watched, true);
  assert.deepEqual(one.covering(items, "default"), [second.informer]);
  const end = new AbortController();
  const ended = other.run(end.signal);
  end.abort();
  await ended;
  assert.equal(server.watched, true);
  second[Symbol.dispose]();
  await quiet();
  assert.equal(server.watched, false);
  stop.abort();
  await run;
});
