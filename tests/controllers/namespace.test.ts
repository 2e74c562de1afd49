import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, isNotFound, namespaces, nodes, pods, runControllers } from "@coxswain/client";
import { namespaceController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario, startCluster, virtualClock } from "coxswain/testing";
import { propertyRuns } from "../scope.ts";
import { chosenFaults } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const conditionsOf = (namespace: { status?: { conditions?: readonly { type: string; status: string; message?: string }[] } }) =>
  (namespace.status?.conditions ?? []).filter(({ status }) => status === "True").map(({ type, message }) => `${type}: ${message}`);

test("a Namespace goes with all that is in it, Pods first, and says what holds it up", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  const stop = new AbortController();
  const running = runControllers(namespaceController.make({ client, settings: {} }), { client, signal: stop.signal });
  await client.resource(namespaces).create({ metadata: { name: "a" } });
  const maps = client.resource(configMaps, "a");
  await maps.create({ metadata: { name: "held", finalizers: ["x.io/held"] } });
  await maps.create({ metadata: { name: "free" } });
  await client.resource(nodes).create({ metadata: { name: "n1" } });
  const spec = { nodeName: "n1", terminationGracePeriodSeconds: 20, containers: [{ name: "c", image: "i" }] };
  await client.resource(pods, "a").create({ metadata: { name: "p" }, spec });
  await client.resource(namespaces).delete("a");

  const emptied = await cluster.waitFor(namespaces, "a", ({ status }) => (status?.conditions ?? []).length > 0, { timeoutMs: 600_000 });
  assert.deepEqual(conditionsOf(emptied), []);
  assert.equal((await maps.get("free")).metadata?.deletionTimestamp, undefined, "nothing goes before the Pods");
  await client.resource(pods, "a").delete("p", { gracePeriodSeconds: 0 });

  const held = await cluster.waitFor(namespaces, "a", (one) => conditionsOf(one).length > 0, { timeoutMs: 600_000 });
  assert.deepEqual(conditionsOf(held), [
    "NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances",
    "NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: x.io/held in 1 resource instances",
  ]);
  await maps.patch("held", { type: "merge", patch: { metadata: { finalizers: null } } });
  await cluster.waitFor(namespaces, "a", "delete", { timeoutMs: 600_000 });
  stop.abort();
  await running;
});

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([namespaceController], { client, signal });
  const admin = cluster.client;
  await admin.resource(namespaces).create({ metadata: { name: "a" } });
  await admin.resource(configMaps, "a").create({ metadata: { name: "free" } });
  await admin.resource(namespaces).delete("a");
  await cluster.waitFor(namespaces, "a", "delete", { timeoutMs: 7_200_000 });
  await assert.rejects(admin.resource(configMaps, "a").get("free"), isNotFound);
};

test("a Namespace goes whatever happens whenever", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > propertyRuns(10), `${runs} runs`);
});
