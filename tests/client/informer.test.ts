/** Informers and what is known of own writes, over a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byLabel,
  byOwner,
  type Client,
  ConnectionError,
  configMaps,
  createExpectations,
  createInformer,
  createInformerSet,
  dropManagedFields,
  type Expectations,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  type Informer,
  type InformerSet,
  isNotFound,
  type KubeObject,
  nodes,
  pods,
  type ResourceRef,
  type SharedInformerOptions,
  setControllerReference,
} from "@coxswain/client";
import { FaultScript, startCluster, type TestCluster, type VirtualClock, virtualClock } from "coxswain/testing";

interface Following<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly informers: InformerSet;
  readonly writes: Expectations;
  stop(): Promise<void>;
}

async function follow<T extends KubeObject>(
  client: Client,
  ref: ResourceRef<T>,
  options?: SharedInformerOptions<T>,
): Promise<Following<T>> {
  const informers = createInformerSet(client);
  const { informer } = informers.use(ref, options);
  const stop = new AbortController();
  const run = informers.run(stop.signal);
  await informers.synced();
  return {
    informer,
    informers,
    writes: createExpectations(client, informers),
    stop: async () => {
      stop.abort();
      await run;
    },
  };
}

const inDefault = (name: string) => ({ namespace: "default", name });
const configMap = (name: string, metadata: KubeObject["metadata"] = {}) => ({
  metadata: { ...metadata, ...inDefault(name) },
  data: { n: "0" },
});

/** Without what a list's item lacks and a single answer has. */
const versionsOf = (objects: readonly KubeObject[]): ReadonlyMap<string, string> =>
  new Map(objects.map(({ metadata }) => [`${metadata?.namespace}/${metadata?.name}`, `${metadata?.uid} ${metadata?.resourceVersion}`]));

async function quiet(cluster: TestCluster): Promise<void> {
  await (cluster.clock as VirtualClock).settle();
}

test("a copy follows the server, with its indexes", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const resource = cluster.client.resource(configMaps, "default");
  const owner = await resource.create(configMap("owner"));
  const { informer, stop } = await follow(cluster.client, configMaps, { indexes: { byOwner }, transform: dropManagedFields });
  const notified: string[] = [];
  informer.subscribe(({ type, object }) => void notified.push(`${type} ${object.metadata?.name}`));
  notified.length = 0;
  await resource.create(setControllerReference(configMap("owned"), owner, { kind: configMaps }));
  await resource.patch("owned", { type: "merge", patch: { data: { n: "1" } } });
  await quiet(cluster);
  const [owned, ...more] = informer.lister.byIndex("byOwner", owner.metadata?.uid ?? "");
  assert.deepEqual([owned?.data?.n, owned?.kind, owned?.metadata?.managedFields, more.length], ["1", "ConfigMap", undefined, 0]);
  await resource.delete("owned");
  await quiet(cluster);
  assert.deepEqual(notified, ["added owned", "updated owned", "deleted owned"]);
  assert.deepEqual(informer.lister.byIndex("byOwner", owner.metadata?.uid ?? ""), []);
  await stop();
});

test("a selector's copy has what the selector chooses, as it chooses", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const { informer, writes, stop } = await follow(cluster.client, configMaps, { namespace: "default", labelSelector: "app" });
  const tracked = writes.clientFor(inDefault("owner")).resource(configMaps, "default");
  await tracked.create(configMap("a", { labels: { app: "" } }));
  await tracked.create(configMap("b"));
  assert.deepEqual([...versionsOf(informer.lister.list()).keys()], ["default/a"]);
  await tracked.patch("a", { type: "merge", patch: { metadata: { labels: { app: null } } } });
  await writes.untilSatisfied(inDefault("owner"));
  assert.equal(informer.lister.size, 0);
  await stop();
});

test("metadata alone", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const resource = cluster.client.resource(configMaps, "default");
  await resource.create(configMap("before", { labels: { app: "x" } }));
  const { informer, writes, stop } = await follow(cluster.client, configMaps, { namespace: "default", metadataOnly: true });
  await resource.create(configMap("after"));
  await quiet(cluster);
  await writes.clientFor().resource(configMaps).create(configMap("own"));
  for (const name of ["before", "after", "own"]) {
    const { data, kind, apiVersion, metadata } = informer.lister.get({ name }) ?? {};
    assert.deepEqual([data, kind, apiVersion, metadata?.name], [undefined, "ConfigMap", "v1", name]);
  }
  assert.equal(informer.lister.get({ name: "before" })?.metadata?.labels?.app, "x");
  await stop();
});

test("deletions by steps: what holds the object, and what lets it go", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const { informer, writes, stop } = await follow(cluster.client, configMaps);
  const owner = inDefault("owner");
  const tracked = writes.clientFor(owner).resource(configMaps);
  await tracked.create(configMap("a", { finalizers: ["example.com/keep"] }));
  await tracked.delete(inDefault("a"));
  assert.equal(writes.satisfied(owner), true);
  assert.notEqual(informer.lister.get(inDefault("a"))?.metadata?.deletionTimestamp, undefined);
  await tracked.modify(inDefault("a"), (draft) => {
    delete draft.metadata?.finalizers;
  });
  await writes.untilSatisfied(owner);
  assert.equal(informer.lister.get(inDefault("a")), undefined);
  await tracked.create(configMap("b"));
  await tracked.delete(inDefault("b"));
  await writes.untilSatisfied(owner);
  assert.equal(informer.lister.get(inDefault("b")), undefined);
  await quiet(cluster);
  assert.equal(informer.lister.size, 0);
  await stop();
});

test("a Pod that has time to end, and its subresources", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const { informer, writes, stop } = await follow(cluster.client, pods);
  const owner = inDefault("owner");
  const tracked = writes.clientFor(owner).resource(pods, "default");
  const cached = () => informer.lister.get(inDefault("a"));
  await tracked.create({ metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } });
  await tracked.subresource("a", "binding").create({ kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "node-1" } });
  assert.equal(writes.satisfied(owner), false);
  await writes.untilSatisfied(owner);
  assert.equal(cached()?.spec?.nodeName, "node-1");
  await tracked.patch("a", { type: "strategic", patch: { status: { phase: "Running" } } }, { subresource: "status" });
  assert.equal(cached()?.status?.phase, "Running");
  await tracked.delete("a");
  assert.equal(cached()?.metadata?.deletionGracePeriodSeconds, 30);
  await tracked.delete("a", { gracePeriodSeconds: 0 });
  await writes.untilSatisfied(owner);
  assert.equal(cached(), undefined);
  await stop();
});

test("what is in no namespace", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const faults = new FaultScript([{ on: { verb: "patch" }, nth: 2, fault: { kind: "lose-answer" } }]);
  const client = cluster.clientFor({ name: "writer" }, { faults });
  const { informer, writes, stop } = await follow(client, nodes, { indexes: { zone: byLabel("zone") } });
  const tracked = writes.clientFor({ name: "node-1" }).resource(nodes);
  const inZone = (zone: string) => ({ type: "merge", patch: { metadata: { labels: { zone } } } }) as const;
  await tracked.create({ metadata: { name: "node-1" } });
  await tracked.patch("node-1", inZone("a"));
  assert.equal(writes.satisfied({ name: "node-1" }), true);
  await assert.rejects(tracked.patch("node-1", inZone("b")), ConnectionError);
  assert.equal(writes.satisfied({ name: "node-1" }), false);
  assert.equal(writes.satisfied({ name: "node-2" }), true);
  await writes.untilSatisfied({ name: "node-1" });
  assert.deepEqual([informer.lister.byIndex("zone", "a").length, informer.lister.byIndex("zone", "b").length], [0, 1]);
  await tracked.delete("node-1");
  await writes.untilSatisfied({ name: "node-1" });
  assert.equal(informer.lister.get({ name: "node-1" }), undefined);
  await stop();
});

test("what was written in another version comes by the watch, in the version that is watched", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const faults = new FaultScript();
  const { informer, writes, stop } = await follow(cluster.clientFor({ name: "writer" }, { faults }), horizontalPodAutoscalers);
  faults.strike({ kind: "delay-events", ms: 1000 });
  const owner = inDefault("owner");
  const spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 50,
  };
  await writes
    .clientFor(owner)
    .resource(horizontalPodAutoscalersV1)
    .create({ metadata: inDefault("web"), spec });
  assert.equal(informer.lister.size, 0);
  const settled = writes.untilSatisfied(owner);
  await cluster.advance({ seconds: 1 });
  await settled;
  const { apiVersion, spec: watched } = informer.lister.get(inDefault("web")) ?? {};
  assert.deepEqual([apiVersion, watched?.metrics?.length], ["autoscaling/v2", 1]);
  await stop();
});

const losses = ["lose-answer", "lose-request"] as const;
for (const kind of losses) {
  test(`${kind}: a controller that counts objects in its cache creates none too many`, async () => {
    await using cluster = await startCluster({ clock: virtualClock() });
    const faults = new FaultScript([{ on: { verb: "create" }, nth: [2, 4, 5], fault: { kind } }]);
    const client = cluster.clientFor({ name: "writer" }, { faults });
    const { informer, writes, stop } = await follow(client, configMaps, { namespace: "default" });
    const owner = inDefault("owner");
    const tracked = writes.clientFor(owner).resource(configMaps, "default");
    for (let round = 0; informer.lister.size < 5; round++) {
      assert.ok(round < 20);
      await tracked.create({ metadata: { generateName: "copy-" } }).catch(() => undefined);
      await writes.untilSatisfied(owner);
    }
    assert.equal((await cluster.client.resource(configMaps, "default").list()).items.length, 5);
    assert.equal(faults.fired.length, 3);
    await stop();
  });
}

test("an informer's store equals the server's state again after any end of the watch", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const clock = cluster.clock as VirtualClock;
  const kinds = ["drop-watch", "end-watch", "stall-watch", "expired"] as const;
  const faults = new FaultScript();
  const client = cluster.clientFor({ name: "reader" }, { faults });
  const informer = createInformer(client.resource(configMaps), { clock, indexes: { byOwner } });
  const states = new Set<string>();
  informer.onFreshness(({ state }) => void states.add(state));
  const known = new Map<string | undefined, KubeObject>();
  informer.subscribe((change) => {
    const { uid } = change.object.metadata ?? {};
    if (change.type === "deleted") assert.equal(known.delete(uid), true);
    else {
      assert.equal(known.has(uid), change.type === "updated");
      known.set(uid, change.object);
    }
  });
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  const resource = cluster.client.resource(configMaps, "default");
  const random = cluster.random.named("writes");
  for (let i = 0; i < 150; i++) {
    if (i % 5 === 0) faults.strike({ kind: kinds[(i / 5) % kinds.length]! });
    const name = `n${Math.floor(random.next() * 8)}`;
    if (random.next() < 0.3) await resource.delete(name).catch((error) => assert.ok(isNotFound(error)));
    else await resource.apply(configMap(name, { labels: { i: String(i) } }), { fieldManager: "test" });
    await cluster.advance({ seconds: Math.floor(random.next() * 40) });
  }
  await cluster.advance({ minutes: 30 });
  const { items } = await cluster.client.resource(configMaps).list();
  assert.deepEqual(versionsOf(informer.lister.list()), versionsOf(items));
  assert.deepEqual(versionsOf([...known.values()]), versionsOf(items));
  assert.equal(informer.freshness.state, "fresh");
  assert.deepEqual(states, new Set(["fresh", "stale"]));
  assert.ok(faults.fired.length > 10);
  const before = clock.waiting;
  stop.abort();
  await run;
  await clock.settle();
  assert.ok(clock.waiting < before);
});
