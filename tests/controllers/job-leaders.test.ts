import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, jobs, leases, pods, sleep, startControllers } from "@coxswain/client";
import { jobController } from "@coxswain/controllers";
import { waitUntil } from "@coxswain/machinery/testing";
import { FaultScript, startCluster, virtualClock } from "coxswain/testing";
import { simulateNodes } from "./simulated-node.ts";

const lease = { namespace: "kube-system", name: "jobs" };
const timeoutMs = 600_000;

const contender = (client: Client, identity: string) =>
  startControllers(jobController.make({ client, settings: {} }), { client, leaderElection: { lease, identity } });

test("a new leader with a late Pod watch neither counts nor creates a Pod twice", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client, clock } = cluster;
  let first: string | undefined;
  await using _nodes = await simulateNodes({
    client,
    podOutcome: ({ metadata }) => {
      first ??= metadata?.name;
      return metadata?.name === first ? { kind: "ends", exitCode: 0, afterMs: 5_000 } : { kind: "runs" };
    },
  });
  const a = contender(client, "a");
  await a.ready;
  await cluster.waitFor(leases, lease, ({ spec }) => spec?.holderIdentity === "a", { timeoutMs });
  const faults = new FaultScript();
  await using b = contender(cluster.clientFor({ name: "b" }, { faults }), "b");
  await b.ready;
  const spec = { completions: 2, parallelism: 1, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };
  await client.resource(jobs).create({ metadata: { name: "sum" }, spec });
  const name = await waitUntil("the first Pod", () => first, { pause: () => sleep(clock, 100) });
  await cluster.waitFor(pods, name, ({ status }) => status?.phase === "Succeeded", { timeoutMs });
  assert.equal(faults.strike({ kind: "stall-watch" }, { resource: "pods" }), 1);
  await cluster.waitFor(jobs, "sum", ({ status }) => status?.succeeded === 1 && status.active === 1, { timeoutMs });
  await a[Symbol.asyncDispose]();
  await cluster.waitFor(leases, lease, ({ spec }) => spec?.holderIdentity === "b", { timeoutMs });
  await sleep(clock, 10_000);
  const { status } = await client.resource(jobs).get("sum");
  assert.deepEqual([status?.succeeded, status?.active, status?.uncountedTerminatedPods], [1, 1, {}]);
  assert.equal((await client.resource(pods).list()).items.length, 2);
});
