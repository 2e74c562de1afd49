import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, deployments, pods, replicaSets } from "@coxswain/client";
import { deploymentController, replicaSetController } from "@coxswain/controllers";
import { deepEqual } from "@coxswain/machinery";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const template = (image: string) => ({ metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } });

interface Course {
  readonly strategy: "RollingUpdate" | "Recreate";
  /** Where it ends. */
  readonly replicas: number;
  /** How many Pods there may be at a time. */
  readonly most: number;
  /** What each run left; must not depend on what went wrong. */
  readonly outcomes: Set<string>;
}

/** Two revisions of one Pod, and then some more Pods. */
const rollout =
  ({ strategy, replicas, most, outcomes }: Course): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await using _controllers = supervised([deploymentController, replicaSetController], { client, signal });
    await using _nodes = await simulateNodes({ client: admin });
    await using crowd = watchCrowd(admin, strategy === "Recreate");
    const resource = admin.resource(deployments);
    const complete = (generation: number, count: number) =>
      cluster.waitFor(deployments, "web", ({ status }) => isComplete(status, generation, count), { timeoutMs });
    const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, strategy: { type: strategy }, template: template("v1") };
    await resource.create({ metadata: { name: "web" }, spec });
    await complete(1, 1);
    await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v2") } } });
    await complete(2, 1);
    if (replicas > 1) await resource.scale("web", replicas);
    if (replicas > 1) await complete(3, replicas);
    assert.ok(crowd.most <= most, `${crowd.most} Pods at a time`);
    outcomes.add(JSON.stringify(await outcomeOf(admin)));
  };

function isComplete({ conditions = [], ...counts }: api.appsV1.DeploymentStatus = {}, generation: number, replicas: number): boolean {
  const all = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas, terminatingReplicas: 0 };
  const isReported = conditions.some(({ type, reason }) => type === "Progressing" && reason === "NewReplicaSetAvailable");
  return isReported && deepEqual(counts, { ...all, observedGeneration: generation });
}

async function outcomeOf(client: Client): Promise<object> {
  const [sets, all] = await Promise.all([client.resource(replicaSets).list(), client.resource(pods).list()]);
  return {
    sets: sets.items.map(({ metadata, spec, status }) => [metadata?.name, metadata?.annotations, spec?.replicas, status?.replicas]),
    pods: all.items.map(({ metadata, spec }) => [metadata?.ownerReferences?.[0]?.name, spec?.containers[0]?.image]),
  };
}

/** How many Pods there were at most; those that go count as well, or only the others. */
function watchCrowd(client: Client, countsGoing: boolean): AsyncDisposable & { readonly most: number } {
  const stop = new AbortController();
  const there = new Set<string>();
  let most = 0;
  const watching = (async () => {
    for await (const event of client.resource(pods).watch({ signal: stop.signal })) {
      if (event.type === "BOOKMARK") continue;
      for (const { metadata } of event.type === "LISTED" ? event.items : [event.object]) {
        const isGoing = metadata?.deletionTimestamp !== undefined;
        if (event.type === "DELETED" || (isGoing && !countsGoing)) there.delete(metadata?.uid ?? "");
        else there.add(metadata?.uid ?? "");
      }
      most = Math.max(most, there.size);
    }
  })().catch(() => undefined);
  return {
    get most() {
      return most;
    },
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return watching;
    },
  };
}

// A quarter of two, rounded up, may be there beside them.
const courses = [
  { strategy: "RollingUpdate", replicas: 2, most: 3 },
  { strategy: "Recreate", replicas: 1, most: 1 },
] as const;
for (const course of courses)
  test(`${course.strategy} reaches the same state under injected faults, with no Pod above the allowed number`, async () => {
    const outcomes = new Set<string>();
    const { runs } = await everyFaultAtEveryStep({ scenario: rollout({ ...course, outcomes }), ...chosenFaults });
    assert.ok(runs > fewestRuns(50), `${runs} runs`);
    assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
  });
