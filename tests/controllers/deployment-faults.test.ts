import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, deployments, pods, replicaSets } from "@coxswain/client";
import { deploymentController, replicaSetController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const template = (image: string) => ({ metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } });

/** Two revisions of one Pod, and then two: what it leaves must not depend on what went wrong. */
const rollout =
  (outcomes: Set<string>): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await using _controllers = supervised([deploymentController, replicaSetController], { client, signal });
    await using _nodes = await simulateNodes({ client: admin });
    await using crowd = watchCrowd(admin);
    const resource = admin.resource(deployments);
    const complete = (generation: number, replicas: number) =>
      cluster.waitFor(deployments, "web", ({ status }) => isComplete(status, generation, replicas), { timeoutMs });
    await resource.create({
      metadata: { name: "web" },
      spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template: template("v1") },
    });
    await complete(1, 1);
    await resource.patch("web", { type: "strategic", patch: { spec: { template: template("v2") } } });
    await complete(2, 1);
    await resource.scale("web", 2);
    await complete(3, 2);
    // A quarter of them, rounded up, may be there beside them.
    assert.ok(crowd.most <= 3, `${crowd.most} Pods at a time`);
    outcomes.add(JSON.stringify(await outcomeOf(admin)));
  };

const isComplete = (status: object | undefined, generation: number, replicas: number): boolean => {
  const { observedGeneration, conditions, ...counts } = { observedGeneration: 0, conditions: [], ...status } as {
    observedGeneration: number;
    conditions: readonly { type: string; reason?: string }[];
  };
  const isTold = conditions.some(({ type, reason }) => type === "Progressing" && reason === "NewReplicaSetAvailable");
  const all = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas, terminatingReplicas: 0 };
  return observedGeneration === generation && isTold && JSON.stringify(sorted(counts)) === JSON.stringify(sorted(all));
};

const sorted = (object: object): object => Object.fromEntries(Object.entries(object).sort());

async function outcomeOf(client: Client): Promise<object> {
  const [sets, all] = await Promise.all([client.resource(replicaSets).list(), client.resource(pods).list()]);
  return {
    sets: sets.items.map(({ metadata, spec, status }) => [metadata?.name, metadata?.annotations, spec?.replicas, status?.replicas]),
    pods: all.items.map(({ metadata, spec }) => [metadata?.ownerReferences?.[0]?.name, spec?.containers[0]?.image]),
  };
}

/** How many Pods there were at most that nobody had asked to go. */
function watchCrowd(client: Client): AsyncDisposable & { readonly most: number } {
  const stop = new AbortController();
  const active = new Set<string>();
  const crowd = { most: 0 };
  const watching = (async () => {
    for await (const event of client.resource(pods).watch({ signal: stop.signal })) {
      if (event.type === "BOOKMARK") continue;
      for (const { metadata } of event.type === "LISTED" ? event.items : [event.object]) {
        if (event.type === "DELETED" || metadata?.deletionTimestamp !== undefined) active.delete(metadata?.uid ?? "");
        else active.add(metadata?.uid ?? "");
      }
      crowd.most = Math.max(crowd.most, active.size);
    }
  })().catch(() => undefined);
  return {
    get most() {
      return crowd.most;
    },
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return watching;
    },
  };
}

test("a Deployment rolls out whatever happens whenever, with no Pod too many", async () => {
  const outcomes = new Set<string>();
  const { runs } = await everyFaultAtEveryStep({ scenario: rollout(outcomes), faults: chosenFaults });
  assert.ok(runs > 50, `${runs} runs`);

  assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
});
