import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments, pods, replicaSets } from "@coxswain/client";
import { settled, sizes, startWorkloads, template, timeoutMs } from "./workload-under-test.ts";

const selector = { matchLabels: { app: "web" } };
const never = { "simulated.coxswain/ready-after-ms": "never" };
const slow = { "simulated.coxswain/ready-after-ms": "2000" };

const reasonOf = (deployment: { status?: { conditions?: readonly { type: string; reason?: string }[] } }, type: string) =>
  deployment.status?.conditions?.find((condition) => condition.type === type)?.reason;

test("a rolling update replaces Pod by Pod, and records the Events that Kubernetes records", async () => {
  await using workloads = await startWorkloads();
  const { cluster, eventsOf } = workloads;
  const resource = cluster.client.resource(deployments);
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template: template("v1", slow) } });
  const first = await settled(cluster, "web");
  assert.equal(reasonOf(first, "Progressing"), "NewReplicaSetAvailable");
  assert.equal(
    first.status?.conditions?.map(({ type, status, message }) => `${type} ${status} ${message}`)[0],
    "Available True Deployment has minimum availability.",
  );
  await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v2", slow) } } });
  const second = await settled(cluster, "web");
  assert.equal(second.metadata?.annotations?.["deployment.kubernetes.io/revision"], "2");
  assert.deepEqual(await sizes(cluster), { 1: 0, 2: 3 });
  const { items } = await cluster.client.resource(replicaSets).list();
  const [old, now] = ["v1", "v2"].map(
    (image) => items.find(({ spec }) => spec?.template?.spec?.containers[0]?.image === image)?.metadata?.name,
  );
  await cluster.advance({ seconds: 1 });
  assert.deepEqual(
    (await eventsOf("Deployment")).toSorted(),
    [
      `deployment-controller: ScalingReplicaSet: Scaled down replica set ${old} from 1 to 0`,
      `deployment-controller: ScalingReplicaSet: Scaled down replica set ${old} from 2 to 1`,
      `deployment-controller: ScalingReplicaSet: Scaled down replica set ${old} from 3 to 2`,
      `deployment-controller: ScalingReplicaSet: Scaled up replica set ${now} from 0 to 1`,
      `deployment-controller: ScalingReplicaSet: Scaled up replica set ${now} from 1 to 2`,
      `deployment-controller: ScalingReplicaSet: Scaled up replica set ${now} from 2 to 3`,
      `deployment-controller: ScalingReplicaSet: Scaled up replica set ${old} from 0 to 3`,
    ].toSorted(),
  );
});

test("a rollback gives the old ReplicaSet a new revision, and its annotation keeps the former one", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 1, selector, template: template("v1") } });
  await settled(cluster, "web");
  for (const image of ["v2", "v1"]) {
    await resource.patch("web", { type: "strategic", patch: { spec: { template: template(image) } } });
    await settled(cluster, "web");
  }
  assert.deepEqual(await sizes(cluster), { 2: 0, 3: 1 });
  const { items } = await cluster.client.resource(replicaSets).list();
  assert.deepEqual(
    items.flatMap(({ metadata }) => metadata?.annotations?.["deployment.kubernetes.io/revision-history"] ?? []),
    ["1"],
  );
});

test("Recreate creates no new Pod before the last old one is gone", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  const strategy = { type: "Recreate" };
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 2, selector, strategy, template: template("v1") } });
  await settled(cluster, "web");
  const held = (await cluster.client.resource(pods).list()).items[0]?.metadata?.name ?? "";
  await cluster.client.resource(pods).patch(held, { type: "merge", patch: { metadata: { finalizers: ["x.io/held"] } } });
  await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v2") } } });
  await cluster.waitFor(deployments, "web", ({ status }) => status?.observedGeneration === 2 && (status.replicas ?? 0) === 0, {
    timeoutMs,
  });
  await cluster.client.resource(pods).patch(held, { type: "merge", patch: { metadata: { finalizers: null } } });
  await settled(cluster, "web");
  const images = (await cluster.client.resource(pods).list()).items.map(({ spec }) => spec?.containers[0]?.image);
  assert.deepEqual(images, ["v2", "v2"]);
});

test("a paused Deployment does not roll out, but scales", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 1, selector, template: template("v1") } });
  await settled(cluster, "web");
  await resource.patch("web", { type: "strategic", patch: { spec: { paused: true, replicas: 2, template: template("v2") } } });
  const paused = await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === 2, { timeoutMs });
  assert.equal(reasonOf(paused, "Progressing"), "DeploymentPaused");
  assert.deepEqual(await sizes(cluster), { 1: 2 });
  await resource.patch("web", { type: "merge", patch: { spec: { paused: null } } });
  const resumed = await settled(cluster, "web");
  assert.equal(reasonOf(resumed, "Progressing"), "NewReplicaSetAvailable");
  assert.deepEqual(await sizes(cluster), { 1: 0, 2: 2 });
});

test("a rollout without progress exceeds its deadline, and scales its ReplicaSets in proportion", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  const spec = { replicas: 4, selector, progressDeadlineSeconds: 60, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } };
  await resource.create({ metadata: { name: "web" }, spec: { ...spec, template: template("v1") } });
  await settled(cluster, "web");
  await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v2", never) } } });
  const isLate = (deployment: object) => reasonOf(deployment, "Progressing") === "ProgressDeadlineExceeded";
  const late = await cluster.waitFor(deployments, "web", isLate, { timeoutMs });
  assert.equal(late.status?.updatedReplicas, 2);
  await resource.scale("web", 10);
  await cluster.waitFor(deployments, "web", ({ status }) => status?.replicas === 12, { timeoutMs });
  assert.deepEqual(await sizes(cluster), { 1: 8, 2: 4 });
  await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v3", slow) } } });
  const done = await settled(cluster, "web");
  assert.equal(reasonOf(done, "Progressing"), "NewReplicaSetAvailable");
});

test("a Deployment whose ReplicaSet name is taken raises its collisionCount and takes another name", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 1, selector, template: template("v1") } });
  await settled(cluster, "web");
  const sets = cluster.client.resource(replicaSets);
  const [first] = (await sets.list()).items;
  // A ReplicaSet of another owner has the name that the template hashes to.
  await resource.delete("web", { propagationPolicy: "Background" });
  await cluster.client.resource(replicaSets, "default").deleteCollection();
  const { name = "", labels = {} } = first?.metadata ?? {};
  const others = { app: "other" };
  const spec = { replicas: 0, selector: { matchLabels: others }, template: { ...template("v1"), metadata: { labels: others } } };
  await sets.create({ metadata: { name, labels: others }, spec });
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 1, selector, template: template("v1") } });
  const web = await settled(cluster, "web");
  assert.equal(web.status?.collisionCount, 1);
  const names = (await sets.list({ labelSelector: "app=web" })).items.map(({ metadata }) => metadata?.name);
  assert.equal(names.length, 1);
  assert.notEqual(names[0], `web-${labels["pod-template-hash"]}`);
});

test("a Deployment adopts the orphaned ReplicaSet of a deleted Deployment", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  const sets = cluster.client.resource(replicaSets);
  const spec = { replicas: 1, selector, template: template("v1") };
  await resource.create({ metadata: { name: "web" }, spec });
  await settled(cluster, "web");
  const [before] = (await sets.list()).items;
  await resource.delete("web", { propagationPolicy: "Background" });
  await sets.patch(before?.metadata?.name ?? "", { type: "merge", patch: { metadata: { ownerReferences: null } } });
  const created = await resource.create({ metadata: { name: "web" }, spec });
  const adopted = await settled(cluster, "web");
  const { items } = await sets.list();
  assert.deepEqual(
    items.map(({ metadata }) => [metadata?.name, metadata?.ownerReferences?.[0]?.uid]),
    [[before?.metadata?.name, created.metadata?.uid]],
  );
  assert.equal(adopted.metadata?.annotations?.["deployment.kubernetes.io/revision"], "1");
});

test("a Deployment keeps as many old ReplicaSets as revisionHistoryLimit says", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const resource = cluster.client.resource(deployments);
  await resource.create({ metadata: { name: "web" }, spec: { replicas: 1, revisionHistoryLimit: 1, selector, template: template("v1") } });
  await settled(cluster, "web");
  for (const image of ["v2", "v3"]) {
    await resource.patch("web", { type: "strategic", patch: { spec: { template: template(image) } } });
    await settled(cluster, "web");
  }
  await cluster.advance({ seconds: 60 });
  assert.deepEqual(await sizes(cluster), { 2: 0, 3: 1 });
});
