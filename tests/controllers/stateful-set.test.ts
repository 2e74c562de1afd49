import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, controllerRevisions, events, persistentVolumeClaims, pods, startControllers, statefulSets } from "@coxswain/client";
import { garbageCollectorController, statefulSetController } from "@coxswain/controllers";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { simulateNodes } from "./simulated-node.ts";

type StatefulSet = api.appsV1.StatefulSet;

/** Time goes by itself; nothing in these tests takes longer. */
const timeoutMs = 600_000;

async function startSets(): Promise<AsyncDisposable & { readonly cluster: TestCluster }> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ clock: virtualClock({ autoAdvance: true }) }));
  const { client } = cluster;
  stack.use(await simulateNodes({ client }));
  const made = [statefulSetController, garbageCollectorController].flatMap((one) => one.make({ client, settings: {} }));
  const running = stack.use(startControllers(made, { client }));
  await running.ready;
  return { cluster, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const labels = { app: "web" };

const template = (image: string, annotations: Record<string, string> = {}) => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: "c", image }] },
});

const create = (cluster: TestCluster, spec: Partial<NonNullable<StatefulSet["spec"]>> = {}): Promise<StatefulSet> =>
  cluster.client.resource(statefulSets).create({
    metadata: { name: "web" },
    spec: { replicas: 3, serviceName: "web", selector: { matchLabels: labels }, template: template("v1"), ...spec },
  });

const change = (cluster: TestCluster, spec: object): Promise<StatefulSet> =>
  cluster.client.resource(statefulSets).patch("web", { type: "strategic", patch: { spec } });

const settled = (cluster: TestCluster) =>
  cluster.waitFor(
    statefulSets,
    "web",
    ({ metadata, spec, status }) => {
      const { observedGeneration, replicas, availableReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status ?? {};
      const counts = [replicas, availableReplicas, updatedReplicas];
      const isRolledOut = currentRevision === updateRevision && counts.every((count) => count === spec?.replicas);
      return observedGeneration === metadata?.generation && isRolledOut;
    },
    { timeoutMs },
  );

async function imagesOf({ client }: TestCluster): Promise<Record<string, string | undefined>> {
  const { items } = await client.resource(pods).list();
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata?.name, spec?.containers[0]?.image]));
}

async function recordedEvents({ client, advance }: TestCluster): Promise<readonly string[]> {
  await advance({ seconds: 5 });
  const { items } = await client.resource(events).list();
  return items.filter(({ involvedObject }) => involvedObject.kind === "StatefulSet").map(({ reason, message }) => `${reason}: ${message}`);
}

test("a StatefulSet creates its Pods in order, with claims, and replaces them from the highest ordinal", async () => {
  await using sets = await startSets();
  const { cluster } = sets;
  const volumeClaimTemplates = [
    { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  ];
  await create(cluster, { replicas: 2, volumeClaimTemplates });
  const first = await settled(cluster);
  await change(cluster, { template: template("v2") });
  const second = await settled(cluster);
  assert.deepEqual(await imagesOf(cluster), { "web-0": "v2", "web-1": "v2" });
  assert.notEqual(second.status?.currentRevision, first.status?.currentRevision);
  const create0 = ["SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success"];
  const create1 = ["SuccessfulCreate: Create Claim data-web-1 Pod web-1 in StatefulSet web success"];
  const pod = (verb: string, name: string) => `Successful${verb}: ${verb} Pod ${name} in StatefulSet web successful`;
  const expected = [...create0, ...create1, pod("Create", "web-0"), pod("Create", "web-1"), pod("Delete", "web-0"), pod("Delete", "web-1")];
  assert.deepEqual((await recordedEvents(cluster)).toSorted(), expected.toSorted());
});

test("a StatefulSet names its revisions as Kubernetes does, and a rollback makes an old revision the newest", async () => {
  await using sets = await startSets();
  const { cluster } = sets;
  const containers = [{ name: "c", image: "v1", args: ["a<b"] }];
  const odd = { metadata: { labels, annotations: { a: "<b>&c" } }, spec: { terminationGracePeriodSeconds: 1, containers } };
  await create(cluster, { replicas: 1, template: odd });
  const first = await settled(cluster);
  // As kube-controller-manager 1.36.3 names it.
  assert.equal(first.status?.currentRevision, "web-57c7bf9669");
  await change(cluster, { template: template("v2") });
  await settled(cluster);
  await change(cluster, { template: { spec: { containers } } });
  await settled(cluster);
  await change(cluster, { template: template("v2") });
  await settled(cluster);
  const { items } = await cluster.client.resource(controllerRevisions).list();
  assert.deepEqual(items.map(({ revision }) => revision).sort(), [3, 4]);
});

test("a partition keeps the revision of Pods of lower ordinals, also when one is recreated", async () => {
  await using sets = await startSets();
  const { cluster } = sets;
  await create(cluster, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } });
  await settled(cluster);
  await change(cluster, { template: template("v2") });
  const isUpdated = ({ status }: StatefulSet) => status?.updatedReplicas === 1 && status.availableReplicas === 3;
  await cluster.waitFor(statefulSets, "web", isUpdated, { timeoutMs });
  await cluster.client.resource(pods).delete("web-0");
  await cluster.waitFor(statefulSets, "web", ({ status }) => status?.availableReplicas === 2, { timeoutMs });
  await cluster.waitFor(statefulSets, "web", isUpdated, { timeoutMs });
  assert.deepEqual(await imagesOf(cluster), { "web-0": "v1", "web-1": "v1", "web-2": "v2" });
});

test("a claim that is deleted with its Pod is gone before a Pod of the same name is created", async () => {
  await using sets = await startSets();
  const { cluster } = sets;
  const claims = cluster.client.resource(persistentVolumeClaims);
  const uidOf = async (name: string) => (await claims.get(name)).metadata?.uid;
  const volumeClaimTemplates = [
    { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  ];
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Retain", whenScaled: "Delete" };
  await create(cluster, { replicas: 2, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy });
  await settled(cluster);
  const [kept, lost] = [await uidOf("data-web-0"), await uidOf("data-web-1")];
  await cluster.client.resource(statefulSets).scale("web", 1);
  await settled(cluster);
  await cluster.client.resource(statefulSets).scale("web", 2);
  await cluster.waitFor(persistentVolumeClaims, "data-web-1", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
  await claims.patch("data-web-1", { type: "merge", patch: { metadata: { finalizers: null } } });
  await settled(cluster);
  assert.equal(await uidOf("data-web-0"), kept);
  assert.notEqual(await uidOf("data-web-1"), lost);
});

test("a StatefulSet replaces a failed Pod, and counts a Pod as available after minReadySeconds", async () => {
  await using sets = await startSets();
  const { cluster } = sets;
  await create(cluster, { podManagementPolicy: "Parallel", minReadySeconds: 30 });
  const startMs = cluster.clock.now();
  await settled(cluster);
  assert.ok(cluster.clock.now() - startMs >= 30_000);
  const failed = { status: { phase: "Failed" } };
  const { metadata } = await cluster.client.resource(pods).patch("web-1", { type: "merge", patch: failed }, { subresource: "status" });
  const another = await cluster.waitFor(pods, "web-1", (pod) => pod.metadata?.uid !== metadata?.uid, { timeoutMs });
  assert.notEqual(another.metadata?.uid, metadata?.uid);
  await settled(cluster);
});

test("a StatefulSet adopts an orphaned Pod of its name, and releases a Pod of another name", async () => {
  await using sets = await startSets();
  const { cluster } = sets;
  const resource = cluster.client.resource(pods);
  const set = await create(cluster, { replicas: 1 });
  await settled(cluster);
  const uid = set.metadata?.uid ?? "";
  await resource.patch("web-0", { type: "merge", patch: { metadata: { ownerReferences: null } } });
  await cluster.waitFor(pods, "web-0", (pod) => pod.metadata?.ownerReferences?.[0]?.uid === uid, { timeoutMs });
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid, controller: true }];
  await resource.create({ ...template("v1"), metadata: { name: "other", labels, ownerReferences } });
  await cluster.waitFor(pods, "other", (pod) => pod.metadata?.ownerReferences === undefined, { timeoutMs });
});
