import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes, pods } from "@coxswain/client";
import { podGarbageCollectorController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const scenario: Scenario = async ({ client, cluster, signal }) => {
  const admin = cluster.client;
  await admin.resource(nodes).create({ metadata: { name: "n1" } });
  await admin.resource(nodes).create({ metadata: { name: "n2" } });
  const containers = [{ name: "c", image: "i" }];
  const finalizers = ["x.io/held"];
  await admin.resource(pods).create({ metadata: { name: "lost", finalizers }, spec: { nodeName: "n1", containers } });
  await admin.resource(pods).create({ metadata: { name: "fine" }, spec: { nodeName: "n2", containers } });
  await using _ = supervised([podGarbageCollectorController], { client, signal });
  await admin.resource(nodes).delete("n1");
  const lost = await cluster.waitFor(pods, "lost", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
  assert.equal(lost.status?.phase, "Failed");
  const condition = lost.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  assert.deepEqual([condition?.reason, condition?.message], ["DeletionByPodGC", "PodGC: node no longer exists"]);
  await admin.resource(pods).patch("lost", { type: "merge", patch: { metadata: { finalizers: null } } });
  await cluster.waitFor(pods, "lost", "delete", { timeoutMs });
  assert.notEqual((await admin.resource(pods).get("fine")).status?.phase, "Failed");
};

test("Pods of Nodes that were deleted are deleted under injected faults", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > fewestRuns(10), `${runs} runs`);
});
