import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments, horizontalPodAutoscalers } from "@coxswain/client";
import { horizontalPodAutoscalerController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { autoscaled, autoscalerOf, defineMetrics, queueLength } from "./metrics-under-test.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

/** Four Pods for a queue of 35, and two when each may have 20. */
const run =
  (outcomes: Set<string>): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await defineMetrics(admin);
    await admin.resource(deployments).create(autoscaled(1));
    // No controller creates its Pods; the scale reports that all are there.
    const status = { replicas: 1 };
    await admin.resource(deployments).patch("web", { type: "merge", patch: { status } }, { subresource: "status" });
    await using _controllers = supervised([horizontalPodAutoscalerController], { client, signal });
    await admin.resource(horizontalPodAutoscalers).create(autoscalerOf({ metrics: [queueLength("10")] }));
    await cluster.waitFor(deployments, "web", ({ spec }) => spec?.replicas === 4, { timeoutMs });
    await admin.resource(deployments).patch("web", { type: "merge", patch: { status: { replicas: 4 } } }, { subresource: "status" });
    await admin.resource(horizontalPodAutoscalers).patch("web", { type: "merge", patch: { spec: { metrics: [queueLength("20")] } } });
    await cluster.waitFor(deployments, "web", ({ spec }) => spec?.replicas === 2, { timeoutMs });
    await admin.resource(deployments).patch("web", { type: "merge", patch: { status: { replicas: 2 } } }, { subresource: "status" });
    const reported = await cluster.waitFor(
      horizontalPodAutoscalers,
      "web",
      ({ status }) => status?.desiredReplicas === 2 && status.conditions?.[0]?.reason === "ReadyForNewScale",
      { timeoutMs },
    );
    outcomes.add(JSON.stringify(reported.status?.conditions?.map(({ type, status, reason }) => [type, status, reason])));
  };

test("an autoscaler reaches its target under injected faults", async (t) => {
  const outcomes = new Set<string>();
  const { runs } = await everyFaultAtEveryStep({ scenario: run(outcomes), ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
  assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
});
