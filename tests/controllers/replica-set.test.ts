import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, pods, priorityClasses, replicaSets, replicationControllers } from "@coxswain/client";
import { replicaSetController } from "@coxswain/controllers";
import { deepEqual } from "@coxswain/machinery";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import { supervised } from "./supervised.ts";
import { startWorkloads, template, timeoutMs } from "./workload-under-test.ts";

const selector = { matchLabels: { app: "web" } };

test("a ReplicaSet keeps the wanted number of Pods and records an event for each", async () => {
  await using workloads = await startWorkloads();
  const { cluster, eventsOf } = workloads;
  const sets = cluster.client.resource(replicaSets);
  await sets.create({ metadata: { name: "web" }, spec: { replicas: 2, selector, template: template("v1") } });
  const { status } = await cluster.waitFor(replicaSets, "web", (one) => one.status?.availableReplicas === 2, { timeoutMs });
  const counts = { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, terminatingReplicas: 0 };
  assert.deepEqual(status, { ...counts, observedGeneration: 1 });
  await sets.scale("web", 1);
  await cluster.waitFor(replicaSets, "web", (one) => one.status?.replicas === 1 && one.status.terminatingReplicas === 0, { timeoutMs });
  const { items } = await cluster.client.resource(pods).list();
  assert.deepEqual(
    items.map(({ metadata }) => metadata?.generateName),
    ["web-"],
  );
  await cluster.advance({ seconds: 1 });
  const events = (await eventsOf("ReplicaSet")).map((text) => text.replace(/-[a-z0-9]{5}$/, "-…"));
  assert.deepEqual(events, [
    "replicaset-controller: SuccessfulCreate: Created pod: web-…",
    "replicaset-controller: SuccessfulCreate: Created pod: web-…",
    "replicaset-controller: SuccessfulDelete: Deleted pod: web-…",
  ]);
});

test("a ReplicaSet releases a Pod whose labels no longer match, and adopts it again", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const all = cluster.client.resource(pods);
  const relabel = (name: string, app: string) => all.patch(name, { type: "merge", patch: { metadata: { labels: { app } } } });
  const settled = (replicas: number) =>
    cluster.waitFor(replicaSets, "web", ({ status }) => status?.availableReplicas === replicas, { timeoutMs });
  await cluster.client
    .resource(replicaSets)
    .create({ metadata: { name: "web" }, spec: { replicas: 1, selector, template: template("v1") } });
  await settled(1);
  const name = (await all.list()).items[0]?.metadata?.name ?? "";
  await relabel(name, "debug");
  await cluster.waitFor(pods, name, ({ metadata }) => metadata?.ownerReferences === undefined, { timeoutMs });
  await cluster.advance({ seconds: 10 });
  assert.equal((await all.list()).items.length, 2);
  await cluster.client.resource(replicaSets).scale("web", 2);
  await settled(2);
  await relabel(name, "web");
  await cluster.advance({ seconds: 10 });
  const left = await all.list({ labelSelector: "app=web" });
  assert.equal(left.items.length, 2);
  assert.ok(left.items.every(({ metadata }) => metadata?.ownerReferences?.[0]?.name === "web"));
});

test("a ReplicaSet counts a Pod as available only after minReadySeconds", async () => {
  await using workloads = await startWorkloads();
  const { cluster } = workloads;
  const spec = { replicas: 1, minReadySeconds: 30, selector, template: template("v1") };
  await cluster.client.resource(replicaSets).create({ metadata: { name: "web" }, spec });
  const ready = await cluster.waitFor(replicaSets, "web", ({ status }) => status?.readyReplicas === 1, { timeoutMs });
  assert.equal(ready.status?.availableReplicas, undefined);
  const readyAt = cluster.clock.now();
  await cluster.waitFor(replicaSets, "web", ({ status }) => status?.availableReplicas === 1, { timeoutMs });
  assert.ok(Math.abs(cluster.clock.now() - readyAt - 30_000) <= 1_000, `after ${cluster.clock.now() - readyAt} ms`);
});

test("a ReplicaSet reports why Pods are missing, and creates them once that is possible", async () => {
  await using workloads = await startWorkloads();
  const { cluster, eventsOf } = workloads;
  const { metadata, spec: pod } = template("v1");
  const spec = { replicas: 5, selector, template: { metadata, spec: { ...pod, priorityClassName: "high" } } };
  await cluster.client.resource(replicaSets).create({ metadata: { name: "web" }, spec });
  const failed = await cluster.waitFor(replicaSets, "web", ({ status }) => status?.conditions !== undefined, { timeoutMs });
  const message = 'pods "web-…" is forbidden: no PriorityClass with name high was found';
  const withoutName = (text = ""): string => text.replace(/"web-[a-z0-9]*"/, '"web-…"');
  const [condition] = failed.status?.conditions ?? [];
  const said = [condition?.type, condition?.status, condition?.reason, withoutName(condition?.message)];
  assert.deepEqual(said, ["ReplicaFailure", "True", "FailedCreate", message]);
  assert.equal(withoutName((await eventsOf("ReplicaSet"))[0]), `replicaset-controller: FailedCreate: Error creating: ${message}`);
  await cluster.client.resource(priorityClasses).create({ metadata: { name: "high" }, value: 1 });
  const { status } = await cluster.waitFor(replicaSets, "web", (one) => one.status?.availableReplicas === 5, { timeoutMs });
  assert.equal(status?.conditions, undefined);
});

test("a ReplicationController behaves as a ReplicaSet does, under its own kind", async () => {
  await using workloads = await startWorkloads();
  const { cluster, eventsOf } = workloads;
  const spec = { replicas: 1, selector: { app: "old" }, template: template("v1", {}, "old") };
  await cluster.client.resource(replicationControllers).create({ metadata: { name: "old" }, spec });
  const { status } = await cluster.waitFor(replicationControllers, "old", (one) => one.status?.availableReplicas === 1, { timeoutMs });
  assert.deepEqual(status, { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 });
  const [pod] = (await cluster.client.resource(pods).list()).items;
  const { uid: _, ...owner } = pod?.metadata?.ownerReferences?.[0] ?? {};
  assert.deepEqual(owner, { apiVersion: "v1", kind: "ReplicationController", name: "old", controller: true, blockOwnerDeletion: true });
  await cluster.advance({ seconds: 1 });
  assert.deepEqual(await eventsOf("ReplicationController"), [
    `replication-controller: SuccessfulCreate: Created pod: ${pod?.metadata?.name}`,
  ]);
});

const scenario: Scenario = async ({ client, cluster, signal }) => {
  const admin = cluster.client;
  await using _controllers = supervised([replicaSetController], { client, signal });
  await using _nodes = await simulateNodes({ client: admin });
  const sets = admin.resource(replicaSets);
  const settled = (generation: number, replicas: number) => {
    const counts = {
      replicas,
      fullyLabeledReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      terminatingReplicas: 0,
    };
    const isSettled = ({ status }: api.appsV1.ReplicaSet): boolean => deepEqual(status, { ...counts, observedGeneration: generation });
    return cluster.waitFor(replicaSets, "web", isSettled, { timeoutMs: 7_200_000 });
  };
  await sets.create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template: template("v1") } });
  await settled(1, 3);
  assert.equal((await admin.resource(pods).list()).items.length, 3, "no Pod too many");
  const [first] = (await admin.resource(pods).list()).items;
  await admin.resource(pods).patch(first?.metadata?.name ?? "", { type: "merge", patch: { metadata: { labels: { app: "debug" } } } });
  await cluster.waitFor(pods, first?.metadata?.name ?? "", ({ metadata }) => metadata?.ownerReferences === undefined, {
    timeoutMs: 7_200_000,
  });
  await sets.scale("web", 1);
  await settled(2, 1);
};

test("a ReplicaSet reaches its number of Pods under injected faults, and never exceeds it", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
});
