import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMaps,
  controllerManager,
  done,
  generationChanged,
  type Outcome,
  type ReconcileContext,
  secrets,
  Unretryable,
  watching,
} from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { FaultScript } from "coxswain/testing";
import { copiesIn, running, type Shelf, shelf, shelves, startLibrary, stocking, until } from "./library.ts";

test("a controller creates missing objects, deletes surplus ones, and replaces deleted ones", async () => {
  await using cluster = await startLibrary();
  const { client } = cluster;
  const stockedWith = (copies: number) => until(cluster, async () => (await copiesIn(cluster)).length === copies);
  await client.resource(shelves).create(shelf("novels", 3));
  await running([stocking()], cluster, async () => {
    await stockedWith(3);
    const [first = ""] = await copiesIn(cluster);
    await client.resource(configMaps).delete(first);
    await until(cluster, async () => !(await copiesIn(cluster)).includes(first));
    await stockedWith(3);
    await client.resource(shelves).patch("novels", { type: "merge", patch: { spec: { copies: 5 } } });
    await stockedWith(5);
    await client.resource(shelves).patch("novels", { type: "merge", patch: { spec: { copies: 1 } } });
    await stockedWith(1);
    await cluster.waitFor(shelves, "novels", (object) => object?.status?.copies === 1);
  });
});

test("never acts on a cache older than its own writes, however late the watches are", async () => {
  await using cluster = await startLibrary();
  const faults = new FaultScript([{ fault: { kind: "delay-events", ms: 5_000 } }]);
  const slow = cluster.clientFor({ name: "shelf-controller" }, { faults });
  const names = ["novels", "poems", "plays"];
  await running([stocking({ concurrency: 4 })], { client: slow }, async () => {
    for (const name of names) await cluster.client.resource(shelves).create(shelf(name, 7));
    for (let round = 0; round < 10; round++) {
      await sleep(cluster.clock, 1_500);
      const patch = { metadata: { labels: { round: String(round) } } };
      for (const name of names) await cluster.client.resource(shelves).patch(name, { type: "merge", patch });
    }
    await sleep(cluster.clock, 60_000);
  });
  assert.ok(faults.fired.length > 0);
  assert.equal((await copiesIn(cluster)).length, 21);
  const writes = faults.steps.flatMap((step) =>
    step.kind === "request" && step.request.resource === "configmaps" ? step.request.verb : [],
  );
  assert.deepEqual(
    writes.filter((verb) => verb === "create" || verb === "delete"),
    Array.from({ length: 21 }, () => "create"),
  );
});

test("repeats what fails with growing delays, conflicts and losses to a deletion quietly, and what cannot succeed not at all", async () => {
  await using cluster = await startLibrary();
  const { client, clock } = cluster;
  const said: string[] = [];
  const log = { debug: record("debug"), info: record("info"), warn: record("warn"), error: record("error") };
  function record(level: string) {
    return (_: object, message: string) => void said.push(`${level}: ${message}`);
  }
  const times: Record<string, number[]> = {};
  const reconcile = (_: unknown, { object, client }: ReconcileContext<Shelf>): Promise<Outcome> => {
    const name = object?.metadata?.name ?? "";
    const seen = [...(times[name] ?? []), clock.now()];
    times[name] = seen;
    if (name === "hopeless") throw new Unretryable("there is no such book");
    if (name === "sync" && seen.length < 4) throw new Error("thrown before there was a promise");
    if (name === "late" && seen.length < 4) return Promise.reject(new Error("rejected"));
    if (name === "deleted" && object !== undefined) {
      return cluster.client
        .resource(shelves)
        .delete(name)
        .then(() => client.resource(shelves).updateStatus(object))
        .then(() => done);
    }
    if (name === "conflict" && seen.length < 2) {
      const old = { ...object, metadata: { ...object?.metadata, resourceVersion: "1" }, spec: { copies: 0 } };
      return client
        .resource(shelves)
        .update(old)
        .then(() => done);
    }
    return Promise.resolve(done);
  };
  for (const name of ["hopeless", "sync", "late", "conflict", "deleted"]) await client.resource(shelves).create(shelf(name, 0));
  const stop = new AbortController();
  const manager = controllerManager([stocking({ reconcile })], { client, log });
  const run = manager.run(stop.signal);
  await until(cluster, () => times.sync?.length === 4 && times.late?.length === 4 && times.conflict?.length === 2);
  await sleep(clock, 60_000);
  stop.abort();
  await run;
  const delays = (name: string) => (times[name] ?? []).map((at, i, all) => at - (all[i - 1] ?? at)).slice(1);
  assert.deepEqual([delays("sync"), delays("late"), delays("conflict"), delays("hopeless")], [[5, 10, 20], [5, 10, 20], [5], []]);
  assert.deepEqual(
    said.toSorted(),
    [
      "debug: failed to reconcile because of a conflict; retried",
      "debug: failed to reconcile an object deleted meanwhile; retried",
      "error: failed to reconcile; not retried",
      // Of two objects that fail three times each, the third is no news.
      ...Array.from({ length: 4 }, () => "error: failed to reconcile"),
      ...Array.from({ length: 2 }, () => "debug: failed to reconcile"),
    ].toSorted(),
  );
  const text = manager.metrics.text();
  for (const line of [
    'controller_runtime_reconcile_total{controller="shelf",result="success"} 5',
    'controller_runtime_reconcile_total{controller="shelf",result="error"} 9',
    'controller_runtime_reconcile_errors_total{controller="shelf"} 9',
    'controller_runtime_terminal_reconcile_errors_total{controller="shelf"} 1',
    'workqueue_retries_total{name="shelf",controller="shelf"} 8',
    'rest_client_requests_total{code="409",method="PUT"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} is not in\n${text}`);
});

test("one change is one reconcile", async () => {
  await using cluster = await startLibrary();
  const { client, clock } = cluster;
  let reconciles = 0;
  const reconcile = async (): Promise<Outcome> => {
    reconciles++;
    return done;
  };
  await running([stocking({ owns: [], reconcile })], cluster, async () => {
    await client.resource(shelves).create(shelf("novels", 0));
    await until(cluster, () => reconciles === 1);
    await client.resource(shelves).patch("novels", { type: "merge", patch: { spec: { copies: 1 } } });
    await sleep(clock, 1_000);
    assert.equal(reconciles, 2);
  });
});

test("comes again after the time it asked for, and is woken by what it watches", async () => {
  await using cluster = await startLibrary();
  const { client, clock } = cluster;
  const woken: number[] = [];
  const reconcile = async (): Promise<Outcome> => {
    woken.push(clock.monotonic());
    return { kind: "requeue", afterMs: 60_000 };
  };
  const byLabel = watching(secrets, ({ metadata }) =>
    metadata?.labels?.shelf ? [{ namespace: "default", name: metadata.labels.shelf }] : [],
  );
  await client.resource(shelves).create(shelf("novels", 0));
  await running([stocking({ owns: [], watches: [byLabel], reconcile, predicate: generationChanged })], cluster, async () => {
    await until(cluster, () => woken.length === 3);
    const [first = 0, second = 0, third = 0] = woken;
    assert.deepEqual([second - first, third - second], [60_000, 60_000]);
    // A change that the predicate passes over, and one of something watched.
    await client.resource(shelves).patch("novels", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
    await sleep(clock, 1_000);
    assert.equal(woken.length, 3);
    await client.resource(secrets).create({ metadata: { name: "key", labels: { shelf: "novels" } } });
    await until(cluster, () => woken.length === 4);
    assert.ok((woken[3] ?? 0) - third < 60_000);
  });
});
