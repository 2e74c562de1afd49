import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerManager, type ObjectRef, type Outcome, type ReconcileContext, runControllers } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { startCluster, type VirtualClock, virtualClock } from "coxswain/testing";
import { type Shelf, shelf, shelves, startLibrary, stocking } from "./library.ts";

test("a stop lets what runs end, takes nothing new, and leaves no timer", async () => {
  await using cluster = await startLibrary();
  const { client, clock } = cluster;
  // The virtual clock waits with immediates for what goes on.
  const resources = () =>
    process
      .getActiveResourcesInfo()
      .filter((name) => name !== "Immediate")
      .toSorted();
  const before = resources();
  const waitingBefore = (clock as VirtualClock).waiting;
  for (const name of ["a", "b", "c"]) await client.resource(shelves).create(shelf(name, 0));
  const log: string[] = [];
  const stop = new AbortController();
  const reconcile = async ({ name }: ObjectRef, { signal }: ReconcileContext<Shelf>): Promise<Outcome> => {
    log.push(`begin ${name}`);
    stop.abort();
    assert.ok(signal.aborted);
    await sleep(clock, 5_000);
    log.push(`end ${name}`);
    return { kind: "requeue", afterMs: 1_000 };
  };
  await runControllers([stocking({ reconcile, concurrency: 1 })], { client, signal: stop.signal });
  assert.deepEqual(log, ["begin a", "end a"]);
  assert.equal((clock as VirtualClock).waiting, waitingBefore);
  assert.deepEqual(resources(), before);
});

test("a stop names what does not end in time", async () => {
  await using cluster = await startLibrary();
  await cluster.client.resource(shelves).create(shelf("novels", 0));
  const stop = new AbortController();
  const reconcile = (): Promise<Outcome> => {
    stop.abort();
    return new Promise(() => undefined);
  };
  await assert.rejects(runControllers([stocking({ reconcile, stopGraceMs: 2_000 })], { client: cluster.client, signal: stop.signal }), {
    message: "the controller shelf did not end in time: it still reconciles default/novels",
  });
});

test("says what never synced", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const manager = controllerManager([stocking()], { client: cluster.client, syncTimeoutMs: 30_000 });
  assert.deepEqual(manager.healthy(), { ok: false, problems: ["the controllers do not run"], failing: [] });
  await assert.rejects(manager.run(new AbortController().signal), /not synced in time: shelves \(library\.example\/v1\)/);
  await assert.rejects(manager.ready, { message: "the controllers have ended" });
});

test("refuses two controllers of one name, and to run twice", async () => {
  await using cluster = await startLibrary();
  assert.throws(() => controllerManager([stocking(), stocking()], { client: cluster.client }), TypeError);
  const manager = controllerManager([stocking()], { client: cluster.client });
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  await assert.rejects(manager.run(stop.signal), TypeError);
  await manager.ready;
  assert.deepEqual(manager.healthy(), { ok: true, problems: [], failing: [] });
  stop.abort();
  await run;
});
