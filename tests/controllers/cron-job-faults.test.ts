import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, cronJobs, jobs, sleep } from "@coxswain/client";
import { cronJobController, jobController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { simulateNodes } from "./simulated-node.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;
const periodMs = 600_000;

/** Two runs, one of which is kept. */
const run =
  (outcomes: Set<string>): Scenario =>
  async ({ client, cluster, signal }) => {
    const admin = cluster.client;
    await using _nodes = await simulateNodes({ client: admin, podOutcome: () => ({ kind: "ends", exitCode: 0, afterMs: 5_000 }) });
    await using _controllers = supervised([cronJobController, jobController], { client, signal });
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "report" }] } };
    await admin.resource(cronJobs).create({
      metadata: { name: "report" },
      spec: { schedule: "*/10 * * * *", successfulJobsHistoryLimit: 1, jobTemplate: { spec: { template } } },
    });
    const start = Math.floor(cluster.clock.now() / periodMs) * periodMs;
    const second = `report-${start / 60_000 + 20}`;
    await cluster.waitFor(jobs, second, ({ status }) => status?.completionTime !== undefined, { timeoutMs });
    await cluster.waitFor(jobs, `report-${start / 60_000 + 10}`, "delete", { timeoutMs });
    await cluster.waitFor(cronJobs, "report", ({ status }) => status?.active === undefined && status?.lastSuccessfulTime !== undefined, {
      timeoutMs,
    });
    await sleep(cluster.clock, 60_000, signal);
    outcomes.add(JSON.stringify(await outcomeOf(admin, start)));
  };

async function outcomeOf(client: Client, start: number): Promise<object> {
  const { status } = await client.resource(cronJobs).get("report");
  const { items } = await client.resource(jobs).list();
  return {
    last: Date.parse(status?.lastScheduleTime ?? "") - start,
    active: status?.active,
    jobs: items.map(({ metadata, status }) => [Number(metadata?.name?.slice(7)) - start / 60_000, status?.succeeded]),
  };
}

test("a CronJob starts each run once under injected faults", async (t) => {
  const outcomes = new Set<string>();
  const { runs } = await everyFaultAtEveryStep({ scenario: run(outcomes), ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
  assert.equal(outcomes.size, 1, [...outcomes].join("\n"));
});
