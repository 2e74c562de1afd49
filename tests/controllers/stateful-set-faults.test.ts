import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, controllerRevisions, persistentVolumeClaims, pods, statefulSets } from "@coxswain/client";
import { statefulSetController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const labels = { app: "web" };
const template = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "c", image }] } });
const volumeClaimTemplates = [
  { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
];
const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Retain" };

/** Two Pods with claims, another template, and then one: what it leaves must not depend on what went wrong. */
const life =
  (outcomes: Set<string>): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await using _controllers = supervised([statefulSetController], { client, signal });
    await using _nodes = await simulateNodes({ client: admin });
    const resource = admin.resource(statefulSets);
    const complete = (generation: number, replicas: number) =>
      cluster.waitFor(statefulSets, "web", ({ status }) => isComplete(status, generation, replicas), { timeoutMs });
    const spec = { replicas: 2, serviceName: "web", selector: { matchLabels: labels }, template: template("v1") };
    await resource.create({
      metadata: { name: "web" },
      spec: { ...spec, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy },
    });
    await complete(1, 2);
    await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v2") } } });
    await complete(2, 2);
    await resource.scale("web", 1);
    await complete(3, 1);
    outcomes.add(JSON.stringify(await outcomeOf(admin)));
  };

function isComplete(status: object | undefined, generation: number, replicas: number): boolean {
  const { observedGeneration, currentRevision, updateRevision, ...counts } = { ...status } as Record<string, unknown>;
  const all = [counts.replicas, counts.readyReplicas, counts.availableReplicas, counts.currentReplicas, counts.updatedReplicas];
  return observedGeneration === generation && currentRevision === updateRevision && all.every((count) => count === replicas);
}

async function outcomeOf(client: Client): Promise<object> {
  const lists = [client.resource(pods).list(), client.resource(persistentVolumeClaims).list()] as const;
  const [{ items: left }, { items: claims }] = await Promise.all(lists);
  const { items: revisions } = await client.resource(controllerRevisions).list();
  return {
    pods: left.map(({ metadata, spec }) => [metadata?.name, metadata?.labels, spec?.containers[0]?.image]),
    claims: claims.map(({ metadata }) => [metadata?.name, metadata?.ownerReferences?.map(({ kind, name }) => [kind, name])]).sort(),
    revisions: revisions.map(({ metadata, revision }) => [metadata?.name, revision]).sort(),
    status: Object.entries((await client.resource(statefulSets).get("web")).status ?? {}).sort(),
  };
}

test("a StatefulSet is created, updated and scaled down under injected faults", async (t) => {
  const outcomes = new Set<string>();
  const { runs } = await everyFaultAtEveryStep({ scenario: life(outcomes), ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
  assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
});
