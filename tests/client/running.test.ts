/** What runs on: informers, controllers, leaders and recorders of events, over real servers and in real time. */
import assert from "node:assert/strict";
import {
  byLabel,
  configMaps,
  controller,
  createEventRecorder,
  createExpectations,
  createInformerSet,
  done,
  events,
  type KubeObject,
  leases,
  type ReconcileContext,
  type ResourceRef,
  runAsLeader,
  secrets,
  setControllerReference,
  startControllers,
} from "@coxswain/client";
import { type Shelf, withShelves } from "./custom-resource.ts";
import { onEachServer, type ServerUnderTest } from "./each-server.ts";

onEachServer(
  "an informer's store shows own writes at once, and other clients' writes eventually",
  async ({ client, namespace, another }) => {
    const informers = createInformerSet(client);
    const { informer } = informers.use(configMaps, { namespace, indexes: { part: byLabel("part") } });
    const stop = new AbortController();
    const run = informers.run(stop.signal);
    await informers.synced();
    const owner = { namespace, name: "owner" };
    const writes = createExpectations(client, informers);
    const mine = writes.clientFor(owner).resource(configMaps, namespace);
    const theirs = (await another({ fieldManager: "ann" })).resource(configMaps, namespace);

    await mine.create({ metadata: { name: "a", labels: { part: "x" } }, data: { n: "1" } });
    assert.equal(informer.lister.get({ namespace, name: "a" })?.data?.n, "1");
    await mine.modify("a", (draft) => {
      draft.data = { n: "2" };
    });
    assert.deepEqual(
      informer.lister.byIndex("part", "x").map(({ data }) => data?.n),
      ["2"],
    );
    await mine.delete("a");
    await writes.untilSatisfied(owner);
    assert.equal(informer.lister.get({ namespace, name: "a" }), undefined);

    const recorded: string[] = [];
    const end = Promise.withResolvers<void>();
    using _ = informer.subscribe(({ type, object }) => {
      if (object.metadata?.labels?.part !== "y") return;
      recorded.push(`${type} ${object.metadata.name}`);
      if (recorded.length === 3) end.resolve();
    });
    await theirs.create({ metadata: { name: "b", labels: { part: "y" } } });
    await theirs.patch("b", { type: "merge", patch: { data: { n: "1" } } });
    await theirs.delete("b");
    await end.promise;
    assert.deepEqual(recorded, ["added b", "updated b", "deleted b"]);
    stop.abort();
    await run;
  },
);

onEachServer("a controller makes what is missing, takes away what is too much, and replaces what others delete", async (surroundings) => {
  const { client, namespace } = surroundings;
  await withShelves(client, `${namespace}.example.com`, async (shelves) => {
    await using running = startControllers([stocking(shelves, namespace)], { client });
    await running.ready;
    await client.resource(shelves, namespace).create({ metadata: { name: "novels" }, spec: { copies: 3 } });
    await stocked(surroundings, 3);
    const [first = ""] = await copies(surroundings);
    await client.resource(configMaps, namespace).delete(first);
    await stocked(surroundings, 3, first);
    await client.resource(shelves, namespace).patch("novels", { type: "merge", patch: { spec: { copies: 1 } } });
    await stocked(surroundings, 1);
    for await (const event of client.resource(shelves, namespace).watch()) {
      const objects = event.type === "LISTED" ? event.items : "object" in event ? [event.object] : [];
      if (objects.some(({ status }) => status?.copies === 1)) break;
    }
  });
});

function stocking(shelves: ResourceRef<Shelf>, namespace: string) {
  const reconcile = async (_: unknown, { object, owned, client, signal }: ReconcileContext<Shelf>) => {
    if (object === undefined) return done;
    const there = owned(configMaps);
    const maps = client.resource(configMaps, namespace);
    for (let i = there.length; i < object.spec.copies; i++) {
      const copy: KubeObject = { metadata: { generateName: "copy-", namespace, labels: { part: "copies" } } };
      await maps.create(setControllerReference(copy, object, { kind: shelves }), { signal });
    }
    for (const { metadata } of there.slice(object.spec.copies)) await maps.delete(metadata?.name ?? "", { signal });
    const status = { copies: object.spec.copies };
    if (object.status?.copies !== status.copies) await client.resource(shelves).updateStatus({ ...object, status }, { signal });
    return done;
  };
  return controller<Shelf>({ name: "shelf", for: shelves, namespace, owns: [configMaps], reconcile });
}

async function copies({ client, namespace }: ServerUnderTest): Promise<string[]> {
  const { items } = await client.resource(configMaps, namespace).list({ labelSelector: "part=copies" });
  return items.flatMap(({ metadata }) => metadata?.name ?? []);
}

/** So many, without the one that was deleted. */
async function stocked(surroundings: ServerUnderTest, wanted: number, without?: string): Promise<void> {
  const { client, namespace } = surroundings;
  for await (const _ of client.resource(configMaps, namespace).watch({ labelSelector: "part=copies" })) {
    const names = await copies(surroundings);
    if (names.length === wanted && !names.includes(without ?? "")) return;
  }
}

onEachServer(
  "of two candidates one leads, and when it stops the other does, with a greater token",
  async ({ client, namespace, another }) => {
    const lease = { namespace, name: "lock" };
    // However slow the machine: the lease is not to be lost here.
    const timing = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 100 };
    const [stopA, stopB] = [new AbortController(), new AbortController()];
    const leading = Promise.withResolvers<void>();
    const terms: { identity: string; token: bigint; transitions: number }[] = [];
    const lead = (one: typeof client, identity: string, { signal }: AbortController, began: () => void): Promise<void> =>
      runAsLeader({ client: one, lease, identity, signal, ...timing }, async (term) => {
        terms.push({ identity: term.identity, token: term.token, transitions: term.transitions });
        await term
          .fenced(one)
          .resource(secrets, namespace)
          .create({ metadata: { name: `of-${identity}` } });
        const asked = new Promise((resolve) => term.signal.addEventListener("abort", resolve, { once: true }));
        began();
        await asked;
      });
    const a = lead(client, "a", stopA, leading.resolve);
    await Promise.race([leading.promise, a]);
    assert.equal((await client.resource(leases).get(lease)).spec?.holderIdentity, "a");
    const b = lead(await another({ fieldManager: "b" }), "b", stopB, () => stopB.abort(new Error("enough")));
    stopA.abort(new Error("a stops"));
    await Promise.all([a, b]);
    assert.deepEqual(
      terms.map(({ identity, transitions }) => [identity, transitions]),
      [
        ["a", 0],
        ["b", 1],
      ],
    );
    assert.ok(terms[1]!.token > terms[0]!.token);
    assert.equal((await client.resource(leases).get(lease)).spec?.holderIdentity, "");
  },
);

onEachServer("events are written, and counted where they repeat", async ({ client, namespace }) => {
  const about = await client.resource(configMaps, namespace).create({ metadata: { name: "settings" } });
  await using recorder = createEventRecorder({ client, component: "librarian" });
  for (let i = 0; i < 3; i++) recorder.record(about, { type: "Warning", reason: "Lost", message: "a book is lost" });
  await recorder.flush();
  const { items } = await client.resource(events, namespace).list({ fieldSelector: "involvedObject.name=settings,type=Warning" });
  assert.deepEqual(
    items.map(({ reason, count, source, involvedObject }) => [reason, count, source?.component, involvedObject.uid]),
    [["Lost", 3, "librarian", about.metadata?.uid]],
  );
  assert.equal(recorder.dropped, 0);
});
