import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, controllerRevisions, daemonSets, nodes, pods } from "@coxswain/client";
import { daemonSetController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const labels = { app: "agent" };
const template = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "c", image }] } });

/** Two Nodes, another template, and a Node that is tainted: what it leaves must not depend on what went wrong. */
const life =
  (outcomes: Set<string>): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await using _nodes = await simulateNodes({ client: admin, nodes: ["a", "b"] });
    await using crowd = watchCrowd(admin);
    await using _controllers = supervised([daemonSetController], { client, signal });
    const resource = admin.resource(daemonSets);
    const complete = (generation: number, count: number) =>
      cluster.waitFor(daemonSets, "agent", ({ status }) => isComplete(status, generation, count), { timeoutMs });
    await resource.create({ metadata: { name: "agent" }, spec: { selector: { matchLabels: labels }, template: template("v1") } });
    await complete(1, 2);
    await resource.patch("agent", { type: "strategic", patch: { spec: { template: template("v2") } } });
    await complete(2, 2);
    await admin.resource(nodes).patch("b", { type: "merge", patch: { spec: { taints: [{ key: "full", effect: "NoExecute" }] } } });
    await complete(2, 1);
    assert.equal(crowd.most, 1, "Pods at a time on one Node");
    outcomes.add(JSON.stringify(await outcomeOf(admin)));
  };

function isComplete(status: object | undefined, generation: number, count: number): boolean {
  const { observedGeneration, numberMisscheduled, ...counts } = { ...status } as Record<string, unknown>;
  const all = [counts.desiredNumberScheduled, counts.currentNumberScheduled, counts.numberAvailable, counts.updatedNumberScheduled];
  return observedGeneration === generation && numberMisscheduled === 0 && all.every((one) => one === count);
}

async function outcomeOf(client: Client): Promise<object> {
  const [left, revisions] = await Promise.all([client.resource(pods).list(), client.resource(controllerRevisions).list()]);
  return {
    pods: left.items.map(({ metadata, spec }) => [metadata?.labels, spec?.nodeName, spec?.containers[0]?.image]),
    revisions: revisions.items.map(({ metadata, revision }) => [metadata?.name, revision]).sort(),
    status: Object.entries((await client.resource(daemonSets).get("agent")).status ?? {}).sort(),
  };
}

/** How many Pods there were at most on, or meant for, one Node, without those that are being deleted. */
function watchCrowd(client: Client): AsyncDisposable & { readonly most: number } {
  const stop = new AbortController();
  const nodeOf = new Map<string, string>();
  let most = 0;
  const watching = (async () => {
    for await (const event of client.resource(pods).watch({ signal: stop.signal })) {
      if (event.type === "BOOKMARK") continue;
      for (const { metadata, spec } of event.type === "LISTED" ? event.items : [event.object]) {
        if (event.type === "DELETED" || metadata?.deletionTimestamp !== undefined) nodeOf.delete(metadata?.uid ?? "");
        else nodeOf.set(metadata?.uid ?? "", JSON.stringify(spec?.affinity));
      }
      const crowds = Object.values(Object.groupBy(nodeOf.values(), (node) => node));
      most = Math.max(most, ...crowds.map((crowd = []) => crowd.length));
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

test("a DaemonSet is created, updated and follows its Nodes under injected faults", async (t) => {
  const outcomes = new Set<string>();
  const { runs } = await everyFaultAtEveryStep({ scenario: life(outcomes), ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
  assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
});
