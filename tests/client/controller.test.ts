import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ControllerOptions,
  configMaps,
  controller,
  controllerManager,
  defineResource,
  done,
  generationChanged,
  type KubeObject,
  type ObjectRef,
  type Outcome,
  type ReconcileContext,
  runControllers,
  secrets,
  setControllerReference,
  Unretryable,
  watching,
} from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { FaultScript, startCluster, type TestCluster, type VirtualClock, virtualClock } from "coxswain/testing";

/** Like a Deployment, but of ConfigMaps: there shall be as many copies as the shelf says. */
interface Shelf extends KubeObject {
  spec: { copies: number };
  status?: { copies: number };
}

const shelves = defineResource<Shelf>({ group: "library.example", version: "v1", resource: "shelves", kind: "Shelf", namespaced: true });

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shelves.library.example }
spec:
  group: library.example
  scope: Namespaced
  names: { plural: shelves, singular: shelf, kind: Shelf }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

const shelf = (name: string, copies: number): Shelf => ({ metadata: { name, namespace: "default" }, spec: { copies } });

/** Names are the server's to choose, so that whoever counted too few in an old cache would make too many. */
async function stock(_: unknown, { object, owned, client, signal }: ReconcileContext<Shelf>): Promise<Outcome> {
  if (object === undefined) return done;
  const copies = owned(configMaps).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const surplus = copies.length - object.spec.copies;
  for (let i = 0; i < -surplus; i++) {
    const copy = { metadata: { generateName: `${object.metadata?.name}-`, namespace: "default" } };
    await client.resource(configMaps).create(setControllerReference(copy, object, { kind: shelves }), { signal });
  }
  for (const { metadata } of copies.slice(0, Math.max(0, surplus)))
    await client.resource(configMaps).delete({ namespace: "default", name: metadata?.name ?? "" }, { signal });
  if (object.status?.copies !== object.spec.copies)
    await client.resource(shelves).updateStatus({ ...object, status: { copies: object.spec.copies } }, { signal });
  return done;
}

const stocking = (changes: Partial<ControllerOptions<Shelf>> = {}) =>
  controller<Shelf>({ name: "shelf", for: shelves, owns: [configMaps], reconcile: stock, ...changes });

async function startLibrary(): Promise<TestCluster> {
  const cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.applyYaml(definition);
  return cluster;
}

async function copiesIn({ client }: TestCluster): Promise<string[]> {
  const { items } = await client.resource(configMaps, "default").list();
  return items.flatMap(({ metadata }) => metadata?.name ?? []).filter((name) => !name.startsWith("kube-root-ca"));
}

/** Runs while `use` does. */
async function running(
  controllers: Parameters<typeof runControllers>[0],
  { client }: Pick<TestCluster, "client">,
  use: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const run = runControllers(controllers, { client, signal: stop.signal });
  try {
    await Promise.race([use(), run.then(() => assert.fail("the controllers have ended"))]);
  } finally {
    stop.abort();
    await run;
  }
}

const until = async ({ clock }: TestCluster, holds: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await holds())) await sleep(clock, 100);
};

test("makes what is missing, takes away what is too much, and replaces what somebody deletes", async () => {
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

test("repeats what fails with growing delays, conflicts quietly, and what cannot succeed not at all", async () => {
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
    if (name === "conflict" && seen.length < 2) {
      const old = { ...object, metadata: { ...object?.metadata, resourceVersion: "1" }, spec: { copies: 0 } };
      return client
        .resource(shelves)
        .update(old)
        .then(() => done);
    }
    return Promise.resolve(done);
  };
  for (const name of ["hopeless", "sync", "late", "conflict"]) await client.resource(shelves).create(shelf(name, 0));
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
      "debug: somebody else was quicker: the reconcile is repeated",
      "error: a reconcile failed and is not repeated",
      ...Array.from({ length: 6 }, () => "error: a reconcile failed"),
    ].toSorted(),
  );
  const text = manager.metrics.text();
  for (const line of [
    'controller_runtime_reconcile_total{controller="shelf",result="success"} 3',
    'controller_runtime_reconcile_total{controller="shelf",result="error"} 8',
    'controller_runtime_reconcile_errors_total{controller="shelf"} 8',
    'controller_runtime_terminal_reconcile_errors_total{controller="shelf"} 1',
    'workqueue_retries_total{name="shelf",controller="shelf"} 7',
    'rest_client_requests_total{code="409",method="PUT",host=""} 1',
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
  assert.deepEqual(manager.healthy(), { ok: false, problems: ["the controllers do not run"] });
  await assert.rejects(manager.run(new AbortController().signal), /not synced in time: shelves \(library\.example\/v1\)/);
  await assert.rejects(manager.ready);
});

test("refuses two controllers of one name, and to run twice", async () => {
  await using cluster = await startLibrary();
  assert.throws(() => controllerManager([stocking(), stocking()], { client: cluster.client }), TypeError);
  const manager = controllerManager([stocking()], { client: cluster.client });
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  await assert.rejects(manager.run(stop.signal), TypeError);
  await manager.ready;
  assert.deepEqual(manager.healthy(), { ok: true, problems: [] });
  stop.abort();
  await run;
});
