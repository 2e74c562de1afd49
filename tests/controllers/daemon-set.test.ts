import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, controllerRevisions, daemonSets, nodes, pods, sleep, startControllers } from "@coxswain/client";
import { daemonSetController } from "@coxswain/controllers";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { simulateNodes } from "./simulated-node.ts";

type DaemonSet = api.appsV1.DaemonSet;

/** Time goes by itself; nothing in these tests takes longer. */
const timeoutMs = 600_000;

async function startDaemons(): Promise<AsyncDisposable & { readonly cluster: TestCluster }> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ clock: virtualClock({ autoAdvance: true }) }));
  const { client } = cluster;
  stack.use(await simulateNodes({ client, nodes: ["a", "b"] }));
  const running = stack.use(startControllers(daemonSetController.make({ client, settings: {} }), { client }));
  await running.ready;
  return { cluster, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const labels = { app: "agent" };
const template = (image: string, spec: object = {}) => ({ metadata: { labels }, spec: { containers: [{ name: "c", image }], ...spec } });

const create = (cluster: TestCluster, spec: Partial<NonNullable<DaemonSet["spec"]>> = {}): Promise<DaemonSet> =>
  cluster.client.resource(daemonSets).create({
    metadata: { name: "agent" },
    spec: { selector: { matchLabels: labels }, template: template("v1"), ...spec },
  });

const change = (cluster: TestCluster, spec: object): Promise<DaemonSet> =>
  cluster.client.resource(daemonSets).patch("agent", { type: "strategic", patch: { spec } });

/** Until so many Nodes have an available Pod of the newest template, and no others have any. */
const settled = (cluster: TestCluster, count: number) =>
  cluster.waitFor(
    daemonSets,
    "agent",
    ({ metadata, status }) => {
      if (status === undefined) return false;
      const { desiredNumberScheduled, currentNumberScheduled, numberAvailable = 0, updatedNumberScheduled = 0 } = status;
      const counts = [desiredNumberScheduled, currentNumberScheduled, numberAvailable, updatedNumberScheduled];
      const isSettled = status.observedGeneration === metadata?.generation && status.numberMisscheduled === 0;
      return isSettled && counts.every((one) => one === count);
    },
    { timeoutMs },
  );

/** `a v1`: Nodes and images of all Pods. */
async function placesIn({ client }: TestCluster): Promise<readonly string[]> {
  const { items } = await client.resource(pods).list();
  return items.map(({ spec }) => `${spec?.nodeName} ${spec?.containers[0]?.image}`).sort();
}

const taint = ({ client }: TestCluster, node: string, taints: readonly object[] | null) =>
  client.resource(nodes).patch(node, { type: "merge", patch: { spec: { taints } } });

test("a DaemonSet has a Pod on every Node, also on one that is added later", async () => {
  await using daemons = await startDaemons();
  const { cluster } = daemons;
  await create(cluster);
  await settled(cluster, 2);
  await using _more = await simulateNodes({ client: cluster.client, nodes: ["c"] });
  await settled(cluster, 3);
  assert.deepEqual(await placesIn(cluster), ["a v1", "b v1", "c v1"]);
});

test("a rolling update of a DaemonSet replaces Node by Node, and a rollback makes an old revision the newest", async () => {
  await using daemons = await startDaemons();
  const { cluster } = daemons;
  await create(cluster);
  await settled(cluster, 2);
  for (const image of ["v2", "v1"]) {
    await change(cluster, { template: template(image) });
    await settled(cluster, 2);
  }
  assert.deepEqual(await placesIn(cluster), ["a v1", "b v1"]);
  const { items } = await cluster.client.resource(controllerRevisions).list();
  assert.deepEqual(items.map(({ revision }) => revision).sort(), [2, 3]);
});

test("a duplicate revision of a DaemonSet's template stays until the next reconcile, and is removed then", async () => {
  await using daemons = await startDaemons();
  const { cluster } = daemons;
  await create(cluster);
  await settled(cluster, 2);
  const revisions = cluster.client.resource(controllerRevisions);
  const names = async () => (await revisions.list()).items.map(({ metadata }) => metadata?.name);
  const [first] = (await revisions.list()).items;
  const { uid: _, resourceVersion: __, ...metadata } = first?.metadata ?? {};
  const big = 3546343826724305832n as unknown as number;
  const another = { ...metadata.labels, "controller-revision-hash": "another" };
  await revisions.create({ metadata: { ...metadata, name: "another", labels: another }, data: first?.data ?? {}, revision: big });
  await sleep(cluster.clock, 60_000);
  assert.deepEqual(await names(), [metadata.name, "another"].sort());
  await change(cluster, { minReadySeconds: 1 });
  await settled(cluster, 2);
  assert.deepEqual(await names(), ["another"]);
  await change(cluster, { template: template("v2") });
  await settled(cluster, 2);
  const newest = (await revisions.list()).items.map(({ revision }) => String(revision)).sort();
  assert.deepEqual(newest, ["3546343826724305832", "3546343826724305833"]);
});

test("a rolling update with maxSurge leaves no Node without an available Pod", async () => {
  await using daemons = await startDaemons();
  const { cluster } = daemons;
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  await create(cluster, { updateStrategy, minReadySeconds: 10 });
  await settled(cluster, 2);
  const stop = new AbortController();
  const least = watchAvailable(cluster, stop.signal);
  await change(cluster, { template: template("v2") });
  await settled(cluster, 2);
  stop.abort();
  assert.equal(await least, 2);
  assert.deepEqual(await placesIn(cluster), ["a v2", "b v2"]);
});

async function watchAvailable({ client }: TestCluster, signal: AbortSignal): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  try {
    for await (const event of client.resource(daemonSets).watch({ signal })) {
      if (event.type === "BOOKMARK") continue;
      for (const { status } of event.type === "LISTED" ? event.items : [event.object])
        least = Math.min(least, status?.numberAvailable ?? 0);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return least;
}

test("a DaemonSet creates and deletes Pods when taints and labels of Nodes or its node selector change", async () => {
  await using daemons = await startDaemons();
  const { cluster } = daemons;
  await create(cluster);
  await settled(cluster, 2);
  await taint(cluster, "b", [{ key: "full", effect: "NoExecute" }]);
  await settled(cluster, 1);
  await taint(cluster, "b", null);
  await settled(cluster, 2);
  await change(cluster, { template: template("v2", { nodeSelector: { role: "edge" } }) });
  await settled(cluster, 0);
  await cluster.client.resource(nodes).patch("b", { type: "merge", patch: { metadata: { labels: { role: "edge" } } } });
  await settled(cluster, 1);
  assert.deepEqual(await placesIn(cluster), ["b v2"]);
});

test("a DaemonSet replaces Pods that keep failing after a delay that grows", async () => {
  await using daemons = await startDaemons();
  const { cluster } = daemons;
  const resource = cluster.client.resource(pods);
  await taint(cluster, "b", [{ key: "full", effect: "NoExecute" }]);
  await create(cluster);
  await settled(cluster, 1);
  const waits: number[] = [];
  let { name, uid } = await runningPod(cluster, undefined);
  for (const _ of [1, 2, 3]) {
    const startMs = cluster.clock.now();
    await resource.patch(name, { type: "merge", patch: { status: { phase: "Failed" } } }, { subresource: "status" });
    ({ name, uid } = await runningPod(cluster, uid));
    waits.push(Math.floor((cluster.clock.now() - startMs) / 1000));
  }
  assert.deepEqual(waits, [0, 1, 2]);
});

/** Another than this one. */
async function runningPod({ client }: TestCluster, last: string | undefined): Promise<{ readonly name: string; readonly uid: string }> {
  for await (const event of client.resource(pods).watch()) {
    if (event.type === "BOOKMARK") continue;
    const found = (event.type === "LISTED" ? event.items : [event.object]).find(
      ({ metadata, status }) => metadata?.uid !== last && status?.phase === "Running",
    );
    if (found !== undefined) return { name: found.metadata?.name ?? "", uid: found.metadata?.uid ?? "" };
  }
  throw new Error("the watch has ended");
}
