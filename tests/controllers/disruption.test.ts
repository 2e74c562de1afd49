import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, daemonSets, podDisruptionBudgets, pods, replicaSets } from "@coxswain/client";
import { disruptionController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario, startCluster, virtualClock } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;
const labels = { app: "web" };

async function startSet(client: Client, replicas: number): Promise<void> {
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const set = await client
    .resource(replicaSets)
    .create({ metadata: { name: "web" }, spec: { replicas, selector: { matchLabels: labels }, template } });
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: set.metadata?.uid ?? "", controller: true }];
  for (let i = 0; i < replicas; i++) {
    await client
      .resource(pods)
      .create({ metadata: { name: `web-${i}`, labels, ownerReferences }, spec: { nodeName: "n1", ...template.spec } });
    await patchStatus(client, `web-${i}`, { phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
  }
}

const patchStatus = (client: Client, name: string, status: object): Promise<unknown> =>
  client.resource(pods).patch(name, { type: "strategic", patch: { status } }, { subresource: "status" });

const allows = (count: number) => (budget: { status?: { disruptionsAllowed?: number; expectedPods?: number } }) =>
  budget.status?.disruptionsAllowed === count && budget.status.expectedPods === 3;

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([disruptionController], { client, signal });
  const admin = cluster.client;
  await admin
    .resource(podDisruptionBudgets)
    .create({ metadata: { name: "web" }, spec: { maxUnavailable: "34%", selector: { matchLabels: labels } } });
  await startSet(admin, 3);
  await cluster.waitFor(podDisruptionBudgets, "web", allows(2), { timeoutMs });
  await patchStatus(admin, "web-0", { conditions: [{ type: "Ready", status: "False" }] });
  await cluster.waitFor(podDisruptionBudgets, "web", allows(1), { timeoutMs });
  await admin
    .resource(pods)
    .subresource("web-1", "eviction")
    .create({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web-1" } });
  await cluster.waitFor(podDisruptionBudgets, "web", ({ status }) => status?.currentHealthy === 1 && status.disruptedPods === undefined, {
    timeoutMs,
  });
  await patchStatus(admin, "web-2", {
    conditions: [{ type: "DisruptionTarget", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
  });
  const taken = await cluster.waitFor(pods, "web-2", "condition=DisruptionTarget=False", { timeoutMs });
  assert.equal(taken.status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason, undefined);
};

test("a PodDisruptionBudget's status allows the right evictions under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(20), `${runs} runs`);
});

test("a PodDisruptionBudget of Pods without a scale allows no disruption and reports why", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  await using _ = supervised([disruptionController], { client, signal: new AbortController().signal });
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "1", controller: true }];
  const selector = { matchLabels: labels };
  const spec = { containers: [{ name: "c", image: "i" }] };
  await client.resource(daemonSets).create({ metadata: { name: "d" }, spec: { selector, template: { metadata: { labels }, spec } } });
  await client.resource(pods).create({ metadata: { name: "d-1", labels, ownerReferences }, spec });
  await client.resource(podDisruptionBudgets).create({ metadata: { name: "d" }, spec: { maxUnavailable: 1, selector } });
  const failed = await cluster.waitFor(podDisruptionBudgets, "d", ({ status }) => status?.conditions?.[0]?.reason === "SyncFailed");
  assert.equal(failed.status?.conditions?.[0]?.message, "daemonsets.apps does not implement the scale subresource");
});
