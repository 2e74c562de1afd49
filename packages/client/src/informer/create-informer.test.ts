import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../cache/change.ts";
import { dropManagedFields } from "../cache/transforms.ts";
import { createInformer } from "./create-informer.ts";
import { FakeServer, type Item, quiet } from "./fake-server.ts";
import type { Informer, InformerOptions } from "./informer.ts";

interface Started {
  readonly server: FakeServer;
  readonly informer: Informer<Item>;
  readonly run: Promise<void>;
  readonly reported: string[];
  readonly listen: (change: Change<Item>) => void;
  stop(): Promise<void>;
}

async function start(options: Partial<InformerOptions<Item>> = {}): Promise<Started> {
  const server = new FakeServer();
  const informer = createInformer(server.resource, { clock: server.clock, ...options });
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  const reported: string[] = [];
  const listen = (change: Change<Item>) => {
    reported.push(`${change.type} ${change.object.metadata?.name}${"initial" in change && change.initial ? " initially" : ""}`);
  };
  await quiet();
  return {
    server,
    informer,
    run,
    reported,
    listen,
    stop: async () => {
      stop.abort();
      await run;
      assert.equal(server.clock.waiting, 0, "no timer is left");
      assert.equal(server.watched, false, "no watch is left");
    },
  };
}

test("is synced with the first list, and reports to late subscribers what is there", async () => {
  const { server, informer, reported, listen, stop } = await start();
  server.put("a");
  assert.equal(informer.hasSynced, false);
  informer.subscribe(listen);
  server.list();
  await informer.synced;
  server.put("b");
  server.sendEvents();
  await quiet();
  assert.deepEqual(reported, ["added a initially", "added b"]);
  const late: string[] = [];
  const subscription = informer.subscribe(({ type, object }) => void late.push(`${type} ${object.metadata?.name}`));
  assert.deepEqual(late, ["added a", "added b"]);
  subscription[Symbol.dispose]();
  server.remove("a");
  server.sendEvents();
  await quiet();
  assert.deepEqual(late, ["added a", "added b"]);
  assert.deepEqual(reported, ["added a initially", "added b", "deleted a"]);
  await stop();
});

test("a subscriber that is added during a change gets it once", async () => {
  const { server, informer, reported, listen, stop } = await start();
  let nested = false;
  informer.subscribe(() => {
    if (!nested) informer.subscribe(listen);
    nested = true;
  });
  server.put("a");
  server.put("b");
  server.list();
  await quiet();
  assert.deepEqual(reported, ["added a initially", "added b initially"]);
  await stop();
});

test("is stale when interrupted or silent for too long, and fresh with the next sign of life", async () => {
  const { server, informer, stop } = await start({ staleAfterMs: 100_000 });
  const states: string[] = [];
  const { clock } = server;
  const from = clock.now();
  informer.onFreshness(({ state, since }) => void states.push(`${state} ${(since - from) / 1000}`));
  assert.equal(informer.freshness.state, "syncing");
  server.interrupt();
  server.connect();
  assert.equal(informer.freshness.state, "syncing");
  server.list(0);
  await quiet();
  assert.deepEqual(informer.freshness, { state: "fresh", since: from, resourceVersion: "100" });
  clock.advance(60_000);
  server.bookmark();
  await quiet();
  clock.advance(60_000);
  assert.deepEqual(states, ["fresh 0"]);
  clock.advance(40_000);
  assert.deepEqual(states, ["fresh 0", "stale 160"]);
  server.bookmark();
  await quiet();
  server.interrupt();
  clock.advance(500_000);
  server.put("a");
  server.sendEvents();
  await quiet();
  assert.deepEqual(states, ["fresh 0", "stale 160", "fresh 160", "stale 160", "fresh 660"]);
  server.interrupt();
  server.connect();
  assert.deepEqual(states.slice(5), ["stale 660", "fresh 660"]);
  await stop();
  assert.equal(informer.freshness.state, "stale");
});

test("reports everything again when asked to, between other changes", async () => {
  const { server, informer, stop } = await start({ resyncMs: 1_000 });
  const reported: string[] = [];
  informer.subscribe((change) => {
    if (change.type === "updated") reported.push(`${change.object.metadata?.name} ${change.resync} ${change.previous === change.object}`);
  });
  server.put("a");
  server.list();
  await quiet();
  server.clock.advance(2_500);
  server.put("a");
  server.sendEvents();
  await quiet();
  assert.deepEqual(reported, ["a true true", "a true true", "a false false"]);
  await stop();
});

test("keeps what the transform makes, frozen", async () => {
  const { server, informer, stop } = await start({ transform: dropManagedFields });
  server.put("a", { metadata: { labels: { x: "y" }, managedFields: [{ manager: "m" }] } });
  server.list();
  await quiet();
  const kept = informer.lister.get({ namespace: "default", name: "a" });
  assert.equal(kept?.metadata?.managedFields, undefined);
  assert.throws(() => Object.assign(kept?.metadata?.labels ?? {}, { x: "z" }), TypeError);
  await stop();
});

test("what a subscriber throws is logged, and the others get the change", async () => {
  const errors: unknown[] = [];
  const log = { warn: () => undefined, error: (fields: object) => void errors.push(fields) };
  const { server, informer, reported, listen, stop } = await start({ log });
  const error = new Error("no");
  informer.subscribe(() => {
    throw error;
  });
  informer.subscribe(listen);
  server.put("a");
  server.list();
  await quiet();
  assert.deepEqual(errors, [{ resource: "items", error }]);
  assert.deepEqual(reported, ["added a initially"]);
  await stop();
});

test("without a log it ends the run", async () => {
  const { server, informer, run } = await start();
  informer.subscribe(() => {
    throw new Error("no");
  });
  server.put("a");
  server.list();
  await assert.rejects(run, /^Error: no$/);
  assert.equal(server.clock.waiting, 0);
  assert.equal(server.watched, false);
});

test("runs once, and is never synced when stopped before", async () => {
  const { server, informer, stop } = await start();
  await assert.rejects(informer.run(new AbortController().signal), /runs once/);
  assert.equal(server.watched, true);
  await stop();
  await assert.rejects(informer.synced, { name: "AbortError" });
});
