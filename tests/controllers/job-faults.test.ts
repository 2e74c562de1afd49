import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, jobs, pods } from "@coxswain/client";
import { jobController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import type { Pod, PodOutcome } from "./simulated-pod.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

/** The first Pod of index 1 fails; all others succeed. Each is counted once, whatever goes wrong. */
const run =
  (outcomes: Set<string>): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await using _nodes = await simulateNodes({ client: admin, podOutcome });
    await using _controllers = supervised([jobController], { client, signal });
    await admin.resource(jobs).create({
      metadata: { name: "sum" },
      spec: {
        completions: 3,
        parallelism: 2,
        completionMode: "Indexed",
        backoffLimitPerIndex: 2,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "sum" }] } },
      },
    });
    const isComplete = (one: { type: string }): boolean => one.type === "Complete";
    await cluster.waitFor(jobs, "sum", ({ status }) => status?.conditions?.some(isComplete) === true, { timeoutMs });
    outcomes.add(JSON.stringify(await outcomeOf(admin)));
  };

const index = "batch.kubernetes.io/job-completion-index";

const podOutcome = ({ metadata }: Pod): PodOutcome => {
  const { [index]: ofPod, "batch.kubernetes.io/job-index-failure-count": failuresBefore } = metadata?.annotations ?? {};
  return { kind: "ends", exitCode: ofPod === "1" && failuresBefore === "0" ? 1 : 0, afterMs: 5_000 };
};

async function outcomeOf(client: Client): Promise<object> {
  const { status } = await client.resource(jobs).get("sum");
  const { items } = await client.resource(pods).list();
  const { startTime: _, completionTime: __, conditions = [], ...counts } = status ?? {};
  return {
    status: Object.fromEntries(Object.entries(counts).sort()),
    conditions: conditions.map(({ type, reason }) => [type, reason]),
    pods: items.map(({ metadata, status }) => [metadata?.annotations?.[index], status?.phase, metadata?.finalizers]).sort(),
  };
}

test("a Job runs each Pod once and counts it once under injected faults", async (t) => {
  const outcomes = new Set<string>();
  const { runs } = await everyFaultAtEveryStep({ scenario: run(outcomes), ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
  assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
});
